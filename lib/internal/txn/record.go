package txn

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
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
	if err != nil {
		return false
	}
	log, err := x.openGrowing(disk.LogFile)
	if err != nil {
		return false
	}
	defer log.Close()
	if err := log.PutAt(line, x.j.Last().Log.End()+int64(len(x.extra))); err != nil {
		return false
	}
	x.extra = append(x.extra, line...)
	if len(x.extra) > maxInforming && x.Recover() == nil {
		_ = x.Checkpoint() // the next one may be able to
	}
	return true
}

// keepFacts brings layout.Facts up to date where that saves readers work: they never write it. Where
// that fails they derive more themselves, and the next change tries again.
func (x *Session) keepFacts() {
	head := x.j.Last()
	if !life.IsBehind(x.Store, head.Log.End()) {
		return
	}
	if facts, err := life.Gather(x.Dirs, store.HeadOf(head)); err == nil {
		facts.Keep(x.Store)
	}
}
