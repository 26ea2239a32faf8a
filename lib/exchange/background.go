package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// An attempt is the last background sync of a store.
type attempt struct {
	Began  string `json:"began_utc"`
	Failed string `json:"failed,omitempty"` // why, "" if it succeeded
}

// between is the time between the beginnings of two background syncs.
const between = 30 * time.Second

// The directories whose locks order background syncs. They are empty.
const (
	runningSync = "background"
	waitingSync = "background-next"
)

// Background is Sync for a process of its own that nobody waits for. One runs at a time, and at most one begins in 30
// seconds; one more waits for its turn, so that a change during a sync is sent too, and others return at once. It
// contacts no remote that this store has never used. [ReadStatus] reports why the last one failed.
func Background(ctx context.Context, s *handoff.Store, o Options) error {
	at, err := ReadStatus(s, false)
	if err != nil || at.Synced == "" {
		return err
	}
	x := newExchange(s, o)
	defer x.close()
	if x.out, err = s.Exchange().Outside(); err != nil {
		return err
	}
	next, err := x.turn(ctx, waitingSync, 0)
	if err != nil || next == nil {
		return err
	}
	defer next.Close()
	running, err := x.turn(ctx, runningSync, 10*time.Minute)
	if err != nil || running == nil {
		return err
	}
	defer running.Close()
	var last attempt
	if _, err := load(x.out, disk.SyncAttempt, &last); err == nil {
		if began, err := time.Parse(time.RFC3339, last.Began); err == nil {
			select {
			case <-time.After(min(between, time.Until(began.Add(between)))):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	next.Unlock()
	last = attempt{Began: time.Now().UTC().Format(time.RFC3339)}
	if _, err = Sync(ctx, s, o); err != nil {
		last.Failed = firstLine(err)
	}
	return errors.Join(err, save(x.out, disk.SyncAttempt, nil, last))
}

// turn waits for the lock of a directory. It returns nil if another process still holds it.
func (x *exchange) turn(ctx ctx, name string, wait time.Duration) (*disk.Dir, error) {
	d, err := x.out.MakeDir(name, 0o700)
	if err != nil {
		return nil, err
	}
	if err = d.Lock(ctx, wait); err == nil {
		return d, nil
	}
	d.Close()
	if errors.Is(err, disk.ErrHeld) {
		err = nil
	}
	return nil, err
}
