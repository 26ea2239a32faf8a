package main

import (
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
	if p.bar == nil || task != p.task {
		p.task = task
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(task),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = p.bar.Set(done) // a terminal that cannot be written to is no fault of the work
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
