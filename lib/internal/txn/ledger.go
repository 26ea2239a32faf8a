package txn

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Ledger is what the store records at one moment about consumed resume tokens.
type Ledger struct {
	Text []byte // whole lines
}

// Consumed returns who consumed a token, or nil if it is unused. If token is "", it returns who resumed from
// the handoff id, which has no token.
func (l *Ledger) Consumed(token, id string) *eventlog.Consumption {
	return l.find(LedgerKey(token, id))
}

const (
	ledgerLineStart = `{"token":"`
	ledgerLineEnd   = `"}`
)

// ReadLedger reads the whole lines and checks their form. It ignores a torn last line, which was never committed. If
// no journal proves the ledger, [Tokens.Gap] says so.
func ReadLedger(d *disk.Dir) (*Ledger, error) {
	path := filepath.Join(d.Path(), disk.Ledger)
	text, err := d.ReadIfThere(disk.Ledger, disk.MaxLedger)
	l := &Ledger{Text: text[:disk.WholeLines(text)]}
	for n, line := range l.Lines() {
		if !bytes.HasPrefix(line, []byte(ledgerLineStart)) || !bytes.HasSuffix(line, []byte(ledgerLineEnd)) {
			return nil, &fault.CorruptError{File: path, Line: n, Why: "is not the record of a consumed token"}
		}
	}
	return l, store.AsCorrupt(path, err)
}

// readLedger is ReadLedger under the lock, where the journal proves the ledger. It reads once between two changes.
func (x *Session) readLedger() (*Ledger, error) {
	if x.ledger != nil {
		return x.ledger, nil
	}
	path := filepath.Join(x.State.Path(), disk.Ledger)
	text, err := x.State.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return nil, store.AsCorrupt(path, err)
	}
	last := x.j.Last()
	if err := store.CheckLedger(path, text, last.Ledger.End(), last.LedgerHead); err != nil {
		return nil, err
	}
	x.ledger = &Ledger{Text: slices.Clip(text[:last.Ledger.End()])}
	return x.ledger, nil
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

// find returns the first record of a key, or nil if no line has it. It parses no other line, since LedgerLine writes
// them all.
func (l *Ledger) find(key string) *eventlog.Consumption {
	start, at := []byte(ledgerLineStart+key+`",`), 0
	if !bytes.HasPrefix(l.Text, start) {
		if at = bytes.Index(l.Text, append([]byte("\n"), start...)) + 1; at == 0 {
			return nil
		}
	}
	line, _, _ := bytes.Cut(l.Text[at:], []byte("\n"))
	c := eventlog.Consumption{Token: key}
	_ = json.Unmarshal(line, &c) // even if the rest is damaged, the token was consumed
	return &c
}

// LineKey returns the key at the beginning of a line, or "" if the line is malformed.
func LineKey(line string) string {
	rest, begins := strings.CutPrefix(line, ledgerLineStart)
	key, _, ends := strings.Cut(rest, `",`)
	if !begins || !ends {
		return ""
	}
	return key
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
