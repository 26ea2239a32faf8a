package everyday

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// fewDocuments are done before a person could read of it.
const fewDocuments = 200

// A progress shows on a terminal how a long command comes along. It is one line that is gone at the end.
type progress struct {
	w    io.Writer
	mu   sync.Mutex
	task string
	bar  *progressbar.ProgressBar
}

// show is told how far a task has come (handoff.Options.Progress).
func (p *progress) show(task string, done, total int) {
	if total < fewDocuments {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if task != p.task {
		p.task, p.bar = task, nil
		width := p.width(task, total)
		if width < leastBar {
			return
		}
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(task),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(width), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	if p.bar != nil {
		_ = p.bar.Set(done) // a terminal that cannot be written to is no fault of the work
	}
}

// The bar has room for 5 to 30 blocks, or is not shown.
const leastBar, mostBar = 5, 30

// width returns how wide the bar may be, so that the line does not wrap.
func (p *progress) width(task string, total int) int {
	columns := TerminalWidth(p.w)
	if columns == 0 {
		return mostBar // nobody knows
	}
	around := fmt.Sprintf("%s 100%% || (%d/%d) [59m59s:59m59s] ", task, total, total)
	return min(mostBar, columns-len(around))
}

// clear takes the line away before something else is printed. A nil progress has none.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
