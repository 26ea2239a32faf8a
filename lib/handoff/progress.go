package handoff

import (
	"sync"
	"sync/atomic"
)

// What Options.Progress is told about, each with the number of documents.
const (
	TaskSeal  = "checking"  // sources: parsed, validated, identified
	TaskStage = "storing"   // bodies: written to the disk
	TaskProve = "verifying" // stored documents: read and compared with rows and events
)

// eachShown is each, with its progress told.
func (s *Store) eachShown(task string, n, workers int, do func(int)) {
	if s.opt.Progress == nil || n == 0 {
		each(n, workers, do)
		return
	}
	var done atomic.Int64
	var one sync.Mutex
	each(n, workers, func(i int) {
		do(i)
		now := int(done.Add(1))
		if now == n {
			one.Lock()
		} else if !one.TryLock() {
			return // somebody else is telling right now
		}
		defer one.Unlock()
		s.opt.Progress(task, now, n)
	})
}
