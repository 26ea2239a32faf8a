package txn

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Ledger is what the store says at one moment about consumed resume tokens. It is for one goroutine.
type Ledger struct {
	path     string
	Text     []byte // whole lines
	searches int
	at       map[string]int  // key → offset of its first line, once it was worth while
	lost     map[string]bool // the keys that only the audit log has
}

// Consumed returns who consumed a token, nil if nobody did. Where the token is "", it says who resumed
// from the handoff of the id, which has none. A token that the audit log records and the ledger lacks
// is ErrIntegrity.
func (l *Ledger) Consumed(token, id string) (*eventlog.Consumption, error) {
	return l.consumed(LedgerKey(token, id))
}

// consumed returns by whom a token was consumed, nil if nobody did. A ledger that lacks what the log
// records cannot say that a token is unused, and is a fault.
func (l *Ledger) consumed(key string) (*eventlog.Consumption, error) {
	by := l.find(key)
	switch {
	case by != nil:
		return by, nil
	case len(l.Text) == 0 && len(l.lost) > 0:
		return nil, &fault.CorruptError{File: l.path, Why: "is missing or empty, although the audit log records consumed tokens"}
	case l.lost[key]:
		return nil, &fault.CorruptError{File: l.path, Why: "lacks the resume token, which the audit log records as consumed"}
	}
	return nil, nil
}

const (
	ledgerLineStart = `{"token":"`
	ledgerLineEnd   = `"}`
)

// ReadLedger reads the whole lines, checks their shape, and compares them with the audit log where no journal
// proves them. A torn last line was never committed.
func ReadLedger(d *disk.Dir) (*Ledger, error) {
	l := &Ledger{path: filepath.Join(d.Path(), disk.Ledger), lost: make(map[string]bool)}
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return nil, store.Odd(l.path, err)
	}
	l.Text = text[:disk.WholeLines(text)]
	for n, line := range l.Lines() {
		if !bytes.HasPrefix(line, []byte(ledgerLineStart)) || !bytes.HasSuffix(line, []byte(ledgerLineEnd)) {
			return nil, &fault.CorruptError{File: l.path, Line: n, Why: "is not a record of a consumed token"}
		}
	}
	if _, err := d.Lstat(journal.FileName); err == nil && d.HasView() {
		return l, nil
	}
	return l, each(d, func(r eventlog.Resumed) {
		if _, known := l.index()[r.Token]; !known {
			l.lost[r.Token] = true
		}
	}, `"token":"`)
}

// readLedger is ReadLedger under the lock, where the journal says what the ledger has.
func (x *Session) readLedger() (*Ledger, error) {
	l := &Ledger{path: filepath.Join(x.State.Path(), disk.Ledger)}
	text, err := x.State.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return nil, store.Odd(l.path, err)
	}
	last := x.j.Last()
	if err := store.CheckLedger(l.path, text, last.Ledger.End(), last.LedgerHead); err != nil {
		return nil, err
	}
	l.Text = text[:last.Ledger.End()]
	return l, nil
}

// Lines goes through the lines, without their ends, with their numbers.
func (l *Ledger) Lines() func(func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(l.Text) {
			if n++; !yield(n, bytes.TrimSuffix(line, []byte("\n"))) {
				return
			}
		}
	}
}

// find looks for the line of a key without parsing the others: every line is written by ledgerLine. The
// first search goes through the text, later ones use an index, which costs as much as many searches.
func (l *Ledger) find(key string) *eventlog.Consumption {
	at := -1
	if l.searches++; l.searches == 1 {
		at = l.search(key)
	} else if n, ok := l.index()[key]; ok {
		at = n
	}
	if at < 0 {
		return nil
	}
	line, _, _ := bytes.Cut(l.Text[at:], []byte("\n"))
	c := eventlog.Consumption{Token: key}
	_ = json.Unmarshal(line, &c) // whatever else is damaged: the token was consumed
	return &c
}

// search returns the offset of the first line of a key, -1 if there is none.
func (l *Ledger) search(key string) int {
	start := []byte(ledgerLineStart + key + `",`)
	if bytes.HasPrefix(l.Text, start) {
		return 0
	}
	if at := bytes.Index(l.Text, append([]byte("\n"), start...)); at >= 0 {
		return at + 1
	}
	return -1
}

// index returns the offset of the first line of every key.
func (l *Ledger) index() map[string]int {
	if l.at != nil {
		return l.at
	}
	l.at = make(map[string]int)
	at := 0
	for _, line := range l.Lines() {
		key := LineKey(line)
		if _, again := l.at[key]; !again {
			l.at[key] = at
		}
		at += len(line) + 1
	}
	return l.at
}

// LineKey returns the key that a line begins with, "" if it begins otherwise.
func LineKey(line []byte) string {
	rest, begins := bytes.CutPrefix(line, []byte(ledgerLineStart))
	key, _, ends := bytes.Cut(rest, []byte(`",`))
	if !begins || !ends {
		return ""
	}
	return string(key)
}

// LedgerLine returns the line of a consumption, as ParseConsumption reads it.
func LedgerLine(c eventlog.Consumption) (string, error) {
	line, err := json.Marshal(c)
	return string(line) + "\n", err
}

var tokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_-]{8,128}\z`) })

// LedgerKey returns what stands for a token in the ledger: itself, its hash where it has another form or
// could be a credential, the id of the handoff where there is none.
func LedgerKey(token, id string) string {
	switch {
	case token == "":
		return id
	case !tokenForm().MatchString(token), len(secrets.Scan(token)) > 0: // the ledger shall hold no credential
		return "sha256:" + jsontree.SHA256Hex([]byte(token))
	}
	return token
}

// WholeRecords returns how many lines of the ledger are whole. Those behind them were torn by a crash,
// and never committed.
func WholeRecords(ledger []byte) int {
	return bytes.Count(ledger[:disk.WholeLines(ledger)], []byte("\n"))
}

// ParseConsumption reads a line of the ledger, byte for byte as ledgerLine writes it.
func ParseConsumption(line []byte) (c eventlog.Consumption, ok bool) {
	if err := json.Unmarshal(line, &c); err != nil || c.Token == "" {
		return c, false
	}
	again, err := LedgerLine(c)
	return c, err == nil && again == string(line)+"\n"
}
