package txn

import (
	"cmp"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Tokens is what a store says at one moment about resume tokens: those that were consumed, and what it
// cannot know of the others. It is for one goroutine.
type Tokens struct {
	*Ledger
	rows store.Lookup
	past Past
}

// OpenTokens reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a
// token is unused.
func OpenTokens(s *store.Store) (*Tokens, error) {
	ledger, err := store.InState(s, ReadLedger)
	return &Tokens{Ledger: cmp.Or(ledger, &Ledger{}), rows: store.Lookup{Store: s}, past: Past{Store: s}}, err
}

// A Gap is what the state directory cannot say of a token that the ledger does not have.
type Gap struct {
	Why   string    // it may have been consumed all the same; "" if nothing is missing
	Since time.Time // of what is not stored here: what was consumed before, nobody knows; zero if nothing was lost
}

// Gap returns what is not known of the handoff of an id, "" for a packet that is not stored.
func (t *Tokens) Gap(id string) (gap Gap, err error) {
	for range 100 { // a change marks rows before it is logged
		read := t.past.size
		if gap, err = t.gap(id); gap.Why == "" || err != nil || read == t.past.size {
			break
		}
		t.rows.Forget()
		time.Sleep(10 * time.Millisecond)
	}
	return gap, err
}

func (t *Tokens) gap(id string) (gap Gap, err error) {
	known, err := t.past.About(id)
	if err != nil {
		return gap, err
	}
	at, err := t.rows.OpenDirs()
	if err != nil {
		return gap, err
	}
	defer at.Close()
	if t.past.size == 0 {
		gap.Why, err = lacksLog(at)
		return gap, err
	}
	if err := at.Doubt(); err != nil {
		gap.Why = store.OneLine(err)
		return gap, nil
	}
	row, stored, err := t.rows.Row(id)
	if stored {
		gap.Why = gapOf(row, known.Of(id))
	} else if known != nil {
		gap.Since, _ = form.Instant(known.Anew)
	}
	return gap, err
}

// lacksLog is why there may be a gap where there is no event.
func lacksLog(at store.Dirs) (string, error) {
	if has, err := at.HasRows(); err != nil || !has {
		return "", err
	}
	return "the store has handoffs and no audit log: it is a clone, or its state directory is gone; bring that back, or run `handoff machine-fingerprint regenerate`", nil
}
