package txn

import (
	"cmp"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Tokens holds the knowledge of a store about resume tokens at one moment: the consumed ones, and the gaps in it. It
// is not safe for concurrent use.
type Tokens struct {
	*Ledger
	rows    store.Lookup
	history History
}

// OpenTokens reads the ledger of consumed tokens. A damaged ledger is ErrIntegrity, since it cannot prove
// that a token is unused.
func OpenTokens(s *store.Store) (*Tokens, error) {
	ledger, err := store.InState(s, ReadLedger)
	return &Tokens{Ledger: cmp.Or(ledger, &Ledger{}), rows: store.Lookup{Store: s}, history: History{Store: s}}, err
}

// A Gap is what the state directory cannot know about a token that is not in the ledger.
type Gap struct {
	Why string // why the token may have been consumed; "" if nothing is missing
	// for a packet that is not stored here: uses of a token before this time are unknown; zero if nothing was lost
	Since time.Time
}

// Gap returns what is unknown about the handoff id. id is "" for a packet that is not stored.
func (t *Tokens) Gap(id string) (gap Gap, err error) {
	for range 100 { // a change marks rows before it is logged
		read := t.history.size
		if gap, err = t.gap(id); gap.Why == "" || err != nil || read == t.history.size {
			break
		}
		t.rows.Forget()
		time.Sleep(10 * time.Millisecond)
	}
	return gap, err
}

func (t *Tokens) gap(id string) (gap Gap, err error) {
	known, err := t.history.About(id)
	if err != nil {
		return gap, err
	}
	at, err := t.rows.OpenDirs()
	if err != nil {
		return gap, err
	}
	defer at.Close()
	if t.history.size == 0 {
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
		gap.Since, _ = form.Instant(known.AdoptedAt)
	}
	return gap, err
}

// lacksLog returns why a token may have been consumed although there are no events.
func lacksLog(at store.Dirs) (string, error) {
	if has, err := at.HasRows(); err != nil || !has {
		return "", err
	}
	return "the store has handoffs but no audit log: it is a clone, or its state directory is gone; restore that, " +
		"or run `handoff machine-fingerprint regenerate`", nil
}
