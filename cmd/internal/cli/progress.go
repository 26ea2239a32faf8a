package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// fewDocuments are done before a person could read of it.
const fewDocuments = 200

// A progress shows on a terminal how a long command comes along. It is one line that is gone at the end.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	task  string
	shown int // columns that the line has
	at    time.Time
}

// show is told how far a task has come (handoff.Options.Progress).
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

// clear takes the line away before something else is printed.
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
