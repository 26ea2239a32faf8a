package txn

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Tokens is what a store says at one moment about resume tokens: those that were consumed, and what it
// cannot know of the others. It is for one goroutine.
type Tokens struct {
	*Ledger
	rows store.Lookup
	past *Past  // read when it is first asked for
	of   string // the id that the past was read for, "" for all
}

// OpenTokens reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a
// token is unused.
func OpenTokens(s *store.Store) (*Tokens, error) {
	t := &Tokens{Ledger: &Ledger{}, rows: store.Lookup{Store: s}}
	d, err := s.OpenPlace(s.Opt.StateDir)
	if err != nil || d == nil {
		return t, err
	}
	defer d.Close()
	t.Ledger, err = ReadLedger(d)
	return t, err
}

// A Gap is what the state directory cannot say of a token that the ledger does not have.
type Gap struct {
	Why   string    // it may have been consumed all the same; "" if nothing is missing
	Since time.Time // of what is not stored here: what was consumed before, nobody knows; zero if nothing was lost
}

// Gap returns what is not known of the handoff of an id, "" for a packet that is not stored.
func (t *Tokens) Gap(id string) (gap Gap, err error) {
	for range 100 { // a change marks rows before it is logged
		if gap, err = t.gap(id); gap.Why == "" || err != nil || !t.isChanging() {
			break
		}
		t.past = nil
		t.rows.Forget()
		time.Sleep(10 * time.Millisecond)
	}
	return gap, err
}

func (t *Tokens) gap(id string) (gap Gap, err error) {
	if err := t.readPast(id); err != nil {
		return gap, err
	}
	if !t.past.Begun {
		gap.Why, err = t.lacksLog()
		return gap, err
	}
	row, stored, err := t.rows.Row(id)
	if stored {
		gap.Why = t.past.Gap(row)
	} else if t.past.Anew != "" {
		gap.Since, _ = form.Instant(t.past.Anew)
	}
	return gap, err
}

// readPast reads the past of the first handoff alone, and then that of all.
func (t *Tokens) readPast(id string) error {
	switch {
	case t.past == nil:
		t.of = id
	case t.of == "" || t.of == id:
		return nil
	default:
		t.of = ""
	}
	t.past = &Past{}
	d, err := t.rows.OpenPlace(t.rows.Opt.StateDir)
	if err != nil || d == nil {
		return err
	}
	defer d.Close()
	t.past, err = ReadPast(d, t.of)
	return err
}

// isChanging reports whether a change is under way, or was logged since the past was read.
func (t *Tokens) isChanging() bool {
	dir, err := t.rows.OpenPlace(t.rows.Opt.Dir)
	if err != nil || dir == nil {
		return false
	}
	defer dir.Close()
	if _, err := dir.Lstat(layout.Intent); err == nil {
		return true
	}
	state, err := t.rows.OpenPlace(t.rows.Opt.StateDir)
	if err != nil || state == nil {
		return false
	}
	defer state.Close()
	log, err := state.Lstat(layout.Log)
	return err == nil && log.Size != t.past.Size
}

// lacksLog is why there may be a gap where there is no event.
func (t *Tokens) lacksLog() (string, error) {
	d, err := t.rows.OpenPlace(t.rows.Opt.Dir)
	if err != nil || d == nil {
		return "", err
	}
	defer d.Close()
	if has, err := (store.Dirs{Store: t.rows.Store, Dir: d}).HasRows(); err != nil || !has {
		return "", err
	}
	return "the store has handoffs and no audit log: it is a clone, or its state directory is gone; bring that back, or run `handoff machine-fingerprint regenerate`", nil
}
