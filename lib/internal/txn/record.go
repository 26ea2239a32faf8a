package txn

import (
	"context"
	"time"

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

// record adds an event that belongs to no change, and is not synced: the next change takes it with it.
func (x *Session) record(e eventlog.Pending) bool {
	prev, err := x.head(false)
	if err != nil || prev == eventlog.Genesis {
		return false
	}
	line, _, err := eventlog.Link(prev, e.Type, x.Opt.Now(), e.Payload, e.Redacted)
	if err == nil {
		err = x.grow(layout.Log, line, x.j.Last().Log.End()+int64(len(x.extra)))
	}
	if err == nil {
		x.extra = append(x.extra, line...)
	}
	if err == nil && len(x.extra) > maxInforming && x.Recover() == nil {
		_ = x.Checkpoint() // the next one may be able to
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
		_ = x.State.Put(layout.LifeCache, text, 0o600) // it proves itself: nothing is lost with it
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
