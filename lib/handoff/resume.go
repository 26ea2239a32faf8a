package handoff

import (
	"context"
	"errors"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Resume consumes the resume token of a handoff, once and for all, and marks the handoff as read by the
// operator. The caller has checked the handoff and decided; c needs HandoffID and Operator, and Token if
// the handoff has one. An operator whom the operators file does not list is ErrDenied, unless the handoff is for them. Of several that resume at
// once one succeeds; the others get a *ConsumedError, and a *TakenError where somebody else has taken the handoff.
//
// The commit is the token's line in the ledger. The read mark and the event follow, also after a crash: where they cannot
// be recorded now, Options.Warn hears of it, and the next change of the store completes them.
func (s *Store) Resume(ctx context.Context, c eventlog.Consumption) (_ eventlog.Consumption, err error) {
	defer func() {
		if !errors.As(err, new(*txn.ConsumedError)) && !errors.As(err, new(*txn.TakenError)) {
			err = fault.Unpublished(err)
		}
	}()
	if _, err := txn.Guard(s.at); err != nil {
		return c, err
	}
	entry, err := s.Find(c.HandoffID)
	if err != nil {
		return c, err
	}
	if err := s.admitResume(c.Operator, entry.To); err != nil {
		return c, err
	}
	c.HandoffID, c.Token = entry.ID, txn.LedgerKey(c.Token, entry.ID)
	err = txn.Locked(ctx, s.at, func(x *txn.Session) error {
		c.Time = x.Now()
		return x.Resume(c)
	})
	if errors.Is(err, txn.ErrUnrecorded) { // nobody could resume again, and hear what is next
		s.opt.Warn("resumed, but the read mark or the event is not recorded yet: " + err.Error() + "; the next command that writes completes it")
		err = nil
	}
	return c, err
}

// A Ledger is what the store says at one moment about consumed resume tokens. It is for one goroutine.
type Ledger struct {
	*txn.Ledger
	store *Store
	past  *txn.Past // read when it is first asked for
	rows  map[string]Entry
	asked int // how many rows were looked for
}

// Ledger reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a token is unused.
func (s *Store) Ledger() (*Ledger, error) {
	l := &Ledger{Ledger: &txn.Ledger{}, store: s}
	d, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || d == nil {
		return l, err
	}
	defer d.Close()
	l.Ledger, err = txn.ReadLedger(d)
	return l, err
}

// A Gap is what the state directory cannot say of a token that the ledger does not have.
type Gap struct {
	Why   string    // it may have been consumed all the same; "" if nothing is missing
	Since time.Time // of what is not stored here: what was consumed before, nobody knows; zero if nothing was lost
}

// Gap returns what is not known of the handoff of an id, "" for a packet that is not stored.
func (l *Ledger) Gap(id string) (gap Gap, err error) {
	for range 100 { // a change marks rows before it is logged
		if gap, err = l.gap(id); gap.Why == "" || err != nil || !l.store.isChanging(l.past) {
			break
		}
		l.past, l.rows = nil, nil
		time.Sleep(10 * time.Millisecond)
	}
	return gap, err
}

func (l *Ledger) gap(id string) (gap Gap, err error) {
	if l.past == nil {
		if l.past, err = l.store.past(); err != nil {
			return gap, err
		}
	}
	if !l.past.Begun {
		gap.Why, err = l.store.lacksLog()
		return gap, err
	}
	row, stored, err := l.row(id)
	if stored {
		gap.Why = l.past.Gap(row)
	} else if l.past.Anew != "" {
		gap.Since, _ = form.Instant(l.past.Anew)
	}
	return gap, err
}

// row returns the entry of an id. The first is searched for, for the second all are read.
func (l *Ledger) row(id string) (row Entry, stored bool, err error) {
	if id == "" {
		return row, false, nil
	}
	if l.asked++; l.asked == 1 {
		row, err = l.store.Find(id)
		if errors.Is(err, ErrInvalid) {
			return row, false, nil
		}
		return row, err == nil, err
	}
	if l.rows == nil {
		all, err := l.store.List(Filter{})
		if err != nil {
			return row, false, err
		}
		l.rows = make(map[string]Entry, len(all))
		for _, e := range all {
			l.rows[e.ID] = e
		}
	}
	row, stored = l.rows[id]
	return row, stored, nil
}

// isChanging reports whether a change is under way, or was logged since the past was read.
func (s *Store) isChanging(past *txn.Past) bool {
	dir, err := s.at.OpenPlace(s.opt.Dir)
	if err != nil || dir == nil {
		return false
	}
	defer dir.Close()
	if _, err := dir.Lstat(layout.Intent); err == nil {
		return true
	}
	state, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return false
	}
	defer state.Close()
	log, err := state.Lstat(layout.Log)
	return err == nil && log.Size != past.Size
}

// lacksLog is what Gap says where there is no event.
func (s *Store) lacksLog() (string, error) {
	d, err := s.at.OpenPlace(s.opt.Dir)
	if err != nil || d == nil {
		return "", err
	}
	defer d.Close()
	if has, err := (store.Dirs{Store: s.at, Dir: d}).HasRows(); err != nil || !has {
		return "", err
	}
	return "the store has handoffs and no audit log: it is a clone, or its state directory is gone; bring that back, or run `handoff machine-fingerprint regenerate`", nil
}

func (s *Store) past() (*txn.Past, error) {
	d, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || d == nil {
		return &txn.Past{}, err
	}
	defer d.Close()
	return txn.ReadPast(d)
}
