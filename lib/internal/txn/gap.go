package txn

import (
	"cmp"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
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
	ledger, err := store.InState(s, ReadLedger)
	return &Tokens{Ledger: cmp.Or(ledger, &Ledger{}), rows: store.Lookup{Store: s}}, err
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
func (t *Tokens) readPast(id string) (err error) {
	switch {
	case t.past == nil:
		t.of = id
	case t.of == "" || t.of == id:
		return nil
	default:
		t.of = ""
	}
	t.past, err = store.InState(t.rows.Store, func(d *durable.Dir) (*Past, error) { return ReadPast(d, t.of) })
	t.past = cmp.Or(t.past, &Past{})
	return err
}

// isChanging reports whether a change is under way, or was logged since the past was read.
func (t *Tokens) isChanging() bool {
	at, err := t.rows.OpenDirs()
	if err != nil {
		return false
	}
	defer at.Close()
	if at.Dir == nil || at.State == nil {
		return false
	}
	log, err := at.State.Lstat(layout.Log)
	return err == nil && log.Size != t.past.Size
}

// lacksLog is why there may be a gap where there is no event.
func (t *Tokens) lacksLog() (string, error) {
	at, err := t.rows.OpenDirs()
	if err != nil {
		return "", err
	}
	defer at.Close()
	if has, err := at.HasRows(); err != nil || !has {
		return "", err
	}
	return "the store has handoffs and no audit log: it is a clone, or its state directory is gone; bring that back, or run `handoff machine-fingerprint regenerate`", nil
}
