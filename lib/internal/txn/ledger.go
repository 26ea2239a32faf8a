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

// A Ledger is what the store records at one moment about consumed resume tokens. It is not safe for
// concurrent use.
type Ledger struct {
	path     string
	Text     []byte // whole lines
	searches int
	at       map[string]int  // key → offset of its first line; nil until the second search
	lost     map[string]bool // the keys that only the audit log has
}

// Consumed returns who consumed a token, or nil if it is unused. If token is "", it returns who resumed from
// the handoff id, which has no token. If the audit log records a token that the ledger lacks, the error is
// ErrIntegrity.
func (l *Ledger) Consumed(token, id string) (*eventlog.Consumption, error) {
	return l.consumed(LedgerKey(token, id))
}

// consumed returns who consumed the key, or nil if it is unused. If the ledger lacks what the log records, it
// cannot prove that a token is unused, and consumed fails.
func (l *Ledger) consumed(key string) (*eventlog.Consumption, error) {
	by := l.find(key)
	switch {
	case by != nil:
		return by, nil
	case len(l.Text) == 0 && len(l.lost) > 0:
		return nil, &fault.CorruptError{File: l.path,
			Why: "is missing or empty, but the audit log records consumed tokens"}
	case l.lost[key]:
		return nil, &fault.CorruptError{File: l.path,
			Why: "lacks the resume token, which the audit log records as consumed"}
	}
	return nil, nil
}

const (
	ledgerLineStart = `{"token":"`
	ledgerLineEnd   = `"}`
)

// ReadLedger reads the whole lines and checks their form. If no journal proves them, it compares them with
// the audit log. It ignores a torn last line, which was never committed.
func ReadLedger(d *disk.Dir) (*Ledger, error) {
	l := &Ledger{path: filepath.Join(d.Path(), disk.Ledger), lost: make(map[string]bool)}
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return nil, store.AsCorrupt(l.path, err)
	}
	l.Text = text[:disk.WholeLines(text)]
	for n, line := range l.Lines() {
		if !bytes.HasPrefix(line, []byte(ledgerLineStart)) || !bytes.HasSuffix(line, []byte(ledgerLineEnd)) {
			return nil, &fault.CorruptError{File: l.path, Line: n, Why: "is not the record of a consumed token"}
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

// readLedger is ReadLedger under the lock, where the journal proves the ledger.
func (x *Session) readLedger() (*Ledger, error) {
	l := &Ledger{path: filepath.Join(x.State.Path(), disk.Ledger)}
	text, err := x.State.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return nil, store.AsCorrupt(l.path, err)
	}
	last := x.j.Last()
	if err := store.CheckLedger(l.path, text, last.Ledger.End(), last.LedgerHead); err != nil {
		return nil, err
	}
	l.Text = text[:last.Ledger.End()]
	return l, nil
}

// Lines returns an iterator over the lines, without their newlines, with their numbers.
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

// find returns the record of a key. It parses no other line, since LedgerLine writes them all. The first
// search scans the text. Later ones use an index, which costs as much as many searches.
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
	_ = json.Unmarshal(line, &c) // even if the rest is damaged, the token was consumed
	return &c
}

// search returns the offset of the first line of a key, or -1 if there is none.
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

// LineKey returns the key at the beginning of a line, or "" if the line is malformed.
func LineKey(line []byte) string {
	rest, begins := bytes.CutPrefix(line, []byte(ledgerLineStart))
	key, _, ends := bytes.Cut(rest, []byte(`",`))
	if !begins || !ends {
		return ""
	}
	return string(key)
}

// LedgerLine returns the line of a consumption, which ParseConsumption reads.
func LedgerLine(c eventlog.Consumption) (string, error) {
	line, err := json.Marshal(c)
	return string(line) + "\n", err
}

var tokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_-]{8,128}\z`) })

// LedgerKey returns the key of a token in the ledger. It is the token itself, or its hash if the token has
// another form or may be a credential. If there is no token, it is the id of the handoff.
func LedgerKey(token, id string) string {
	switch {
	case token == "":
		return id
	case !tokenForm().MatchString(token), len(secrets.Scan(token)) > 0: // never store a credential in the ledger
		return "sha256:" + jsontree.SHA256Hex([]byte(token))
	}
	return token
}

// WholeRecords returns the number of whole lines of the ledger. A torn line after them was never committed.
func WholeRecords(ledger []byte) int {
	return bytes.Count(ledger[:disk.WholeLines(ledger)], []byte("\n"))
}

// ParseConsumption parses a line of the ledger. ok is false unless LedgerLine writes the same bytes.
func ParseConsumption(line []byte) (c eventlog.Consumption, ok bool) {
	if err := json.Unmarshal(line, &c); err != nil || c.Token == "" {
		return c, false
	}
	again, err := LedgerLine(c)
	return c, err == nil && again == string(line)+"\n"
}
