package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// fewDocuments is the number of documents up to which no progress is shown: the command ends too soon.
const fewDocuments = 200

// A progress shows the progress of a long command in one line on a terminal, and clears it at the end.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	task  string
	shown int // columns of the line
	at    time.Time
}

// show is the handoff.Options.Progress of a run.
func (p *progress) show(task string, done, total int) {
	if total < fewDocuments {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if task == p.task && done < total && time.Since(p.at) < 100*time.Millisecond {
		return
	}
	p.task, p.at = task, time.Now()
	p.erase()
	line := fmt.Sprintf("%s %3d%% (%d/%d)", task, 100*done/total, done, total)
	if columns := TerminalWidth(p.w); done < total && (columns == 0 || len(line) < columns) { // 0 is unknown
		io.WriteString(p.w, line)
		p.shown = len(line)
	}
}

// clear removes the line before other output.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.shown > 0 {
		io.WriteString(p.w, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
