package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// ledgerName is the file of the consumed tokens: one JSON object a line, the first of a token counts.
const ledgerName = "consumed-tokens.jsonl"

const maxLedger = 256 << 20

// A Ledger is what the store says at one moment about consumed resume tokens. It is for one goroutine.
type Ledger struct {
	path     string
	text     []byte // whole lines
	searches int
	at       map[string]int  // key → offset of its first line, once it was worth while
	lost     map[string]bool // the keys that only the audit log has
}

// Ledger reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a token is unused.
func (s *Store) Ledger() (*Ledger, error) {
	d, err := s.openPlace(s.opt.StateDir)
	if err != nil || d == nil {
		return &Ledger{}, err
	}
	defer d.Close()
	return readLedger(d)
}

// Consumed returns who consumed a token, nil if nobody did. Where the token is "", it says who resumed from the handoff
// of the id, which has none. A token that the audit log records and the ledger lacks is ErrIntegrity.
func (l *Ledger) Consumed(token, id string) (*Consumption, error) {
	return l.consumed(ledgerKey(token, id))
}

func (l *Ledger) consumed(key string) (*Consumption, error) {
	by := l.find(key)
	switch {
	case by != nil:
		return by, nil
	case len(l.text) == 0 && len(l.lost) > 0:
		return nil, &CorruptError{File: l.path, Why: "is missing or empty, although the audit log records consumed tokens"}
	case l.lost[key]:
		return nil, &CorruptError{File: l.path, Why: "lacks the resume token, which the audit log records as consumed"}
	}
	return nil, nil
}

const (
	ledgerLineStart = `{"token":"`
	ledgerLineEnd   = `"}`
)

// readLedger reads the whole lines, checks their shape and compares them with the audit log. A torn last line was
// never committed. A token that is consumed meanwhile stands behind the part of the log that is looked at.
func readLedger(d *durable.Dir) (*Ledger, error) {
	log, err := openResumes(d)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	l := &Ledger{path: filepath.Join(d.Path(), ledgerName)}
	text, err := d.ReadFile(ledgerName, maxLedger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, durable.ErrUnsafe):
		return nil, &CorruptError{File: l.path, Why: err.Error()}
	case err != nil:
		return nil, err
	}
	l.text = text[:bytes.LastIndexByte(text, '\n')+1]
	for n, line := range l.lines() {
		if !bytes.HasPrefix(line, []byte(ledgerLineStart)) || !bytes.HasSuffix(line, []byte(ledgerLineEnd)) {
			return nil, &CorruptError{File: l.path, Line: n, Why: "is no record of a consumed token"}
		}
	}
	return l, l.compare(log)
}

// lines goes through the lines, without their ends, with their numbers.
func (l *Ledger) lines() func(func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(l.text) {
			if n++; !yield(n, bytes.TrimSuffix(line, []byte("\n"))) {
				return
			}
		}
	}
}

// find looks for the line of a key without parsing the others: every line is written by ledgerLine. The
// first search goes through the text, later ones use an index, which costs as much as many searches.
func (l *Ledger) find(key string) *Consumption {
	at := -1
	if l.searches++; l.searches == 1 {
		at = l.search(key)
	} else if n, ok := l.index()[key]; ok {
		at = n
	}
	if at < 0 {
		return nil
	}
	line, _, _ := bytes.Cut(l.text[at:], []byte("\n"))
	c := Consumption{Token: key}
	_ = json.Unmarshal(line, &c) // whatever else is damaged: the token was consumed
	return &c
}

// search returns the offset of the first line of a key, -1 if there is none.
func (l *Ledger) search(key string) int {
	start := []byte(ledgerLineStart + key + `",`)
	if bytes.HasPrefix(l.text, start) {
		return 0
	}
	if at := bytes.Index(l.text, append([]byte("\n"), start...)); at >= 0 {
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
	for _, line := range l.lines() {
		key := lineKey(line)
		if _, again := l.at[key]; !again {
			l.at[key] = at
		}
		at += len(line) + 1
	}
	return l.at
}

// lineKey returns the key that a line begins with, "" if it begins otherwise.
func lineKey(line []byte) string {
	rest, begins := bytes.CutPrefix(line, []byte(ledgerLineStart))
	key, _, ends := bytes.Cut(rest, []byte(`",`))
	if !begins || !ends {
		return ""
	}
	return string(key)
}

// end is the offset after the last whole line.
func (l *Ledger) end() int64 { return int64(len(l.text)) }

// compare collects the keys that the log has and the ledger lacks. As a rule both have them in the same order.
func (l *Ledger) compare(log *resumes) error {
	l.lost = make(map[string]bool)
	at := 0
	for key := range log.keys() {
		if bytes.HasPrefix(l.text[at:], append(append([]byte(ledgerLineStart), key...), `",`...)) {
			at += bytes.IndexByte(l.text[at:], '\n') + 1
		} else if _, known := l.index()[string(key)]; !known {
			l.lost[string(key)] = true
		}
	}
	return log.err
}

func ledgerLine(c Consumption) (string, error) {
	line, err := json.Marshal(c)
	return string(line) + "\n", err
}

var tokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_-]{8,128}\z`) })

func ledgerKey(token, id string) string {
	switch {
	case token == "":
		return id
	case !tokenForm().MatchString(token), len(FindSecrets(token)) > 0: // the ledger shall hold no credential
		return "sha256:" + sha256Hex([]byte(token))
	}
	return token
}
