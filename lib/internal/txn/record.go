package txn

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// TryRecord adds an event of a command that only reads, and reports whether it did. It needs the lock within
// 200 ms, a log, and no unfinished change. The store must belong to this machine.
func TryRecord(ctx context.Context, s *store.Store, e eventlog.Pending) (done bool) {
	TryLocked(ctx, s, 200*time.Millisecond, func(x *Session) { done = x.record(e) })
	return done
}

// record adds an event that belongs to no change. It does not sync: the next change includes the event in its
// record.
func (x *Session) record(e eventlog.Pending) bool {
	if x.prev == eventlog.Genesis {
		return false
	}
	line, hash, err := eventlog.Link(x.prev, e.Type, x.Opt.Now(), e.Payload, e.Redacted)
	if err != nil {
		return false
	}
	log, err := x.OpenGrowing(disk.LogFile)
	if err != nil {
		return false
	}
	defer log.Close()
	if err := log.PutAt(line, x.j.Last().Log.End()+int64(len(x.extra))); err != nil {
		return false
	}
	x.extra, x.prev = append(x.extra, line...), hash
	if len(x.extra) > maxInforming && x.Recover() == nil {
		_ = x.Checkpoint() // otherwise the next record tries again
	}
	return true
}

// keepFacts updates the cache disk.Facts if that saves readers work, since readers never write it. If that
// fails, readers derive more themselves, and a later change tries again.
func (x *Session) keepFacts() {
	head := x.j.Last()
	log := head.Log
	isStep := log.Offset/life.Step < log.End()/life.Step || x.j.Records() == 0
	if !isStep || !life.IsBehind(x.Store, log.End()) {
		return
	}
	if facts, err := life.Gather(x.Dirs, store.HeadOf(head)); err == nil {
		facts.Keep(x.Store)
	}
}
