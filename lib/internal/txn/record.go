package txn

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// TryRecord adds an event of a command that only reads, and reports whether it did: only if the lock is free
// within 200 ms, nothing is under way, there is a log, and this is the store's machine.
func TryRecord(ctx context.Context, s *store.Store, e eventlog.Pending) (done bool) {
	Quietly(ctx, s, 200*time.Millisecond, func(x *Session) { done = x.record(e) })
	return done
}

// record adds an event that belongs to no change.
func (x *Session) record(e eventlog.Pending) bool {
	log, err := x.Log(false)
	if err != nil || log == nil {
		return false
	}
	defer log.Close()
	st := step{events: []eventlog.Pending{e}}
	if x.link(log, &st) != nil {
		return false
	}
	err = st.intent.record(log)
	if errors.Is(err, durable.ErrHalfWritten) {
		_ = x.CutLog(log, st.intent.LogOffset) // so that nothing follows what may not be on the disk
	}
	return err == nil
}

// keepFacts brings layout.LifeCache up to date where that saves readers work: they never write it. Where
// that fails they derive more themselves, and the next change tries again.
func (x *Session) keepFacts() {
	if !life.IsBehind(x.Dirs) {
		return
	}
	facts, err := life.Gather(x.Dirs)
	if err != nil {
		return
	}
	text, behind := facts.Unsaved()
	if behind < 0 {
		_ = x.State.Replace(layout.LifeCache, text, 0o600)
		return
	}
	file, err := x.State.OpenLog(layout.LifeCache, false)
	if err != nil || file == nil {
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() == behind {
		_ = file.Append(text) // what a crash leaves of it has no checksum that holds
	}
}
