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
	text     []byte // whole lines
	searches int
	at       map[string]int // key → offset of its first line, once it was worth while
}

// Ledger reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a token is unused.
func (s *Store) Ledger() (*Ledger, error) {
	d, err := openOptional(s.opt.StateDir)
	if err != nil || d == nil {
		return &Ledger{}, err
	}
	defer d.Close()
	return readLedger(d)
}

// Consumed returns who consumed a token, nil if nobody did. Where the token is "", it says who resumed from the handoff
// of the id, which has none.
func (l *Ledger) Consumed(token, id string) *Consumption { return l.find(ledgerKey(token, id)) }

const (
	ledgerLineStart = `{"token":"`
	ledgerLineEnd   = `"}`
)

// readLedger reads the whole lines and checks their shape. A torn last line was never committed.
func readLedger(d *durable.Dir) (*Ledger, error) {
	text, err := d.ReadFile(ledgerName, maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return &Ledger{}, nil
	}
	path := filepath.Join(d.Path(), ledgerName)
	if errors.Is(err, durable.ErrUnsafe) {
		return nil, &CorruptError{File: path, Why: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	l := &Ledger{text: text[:bytes.LastIndexByte(text, '\n')+1]}
	for n, line := range l.lines() {
		if !bytes.HasPrefix(line, []byte(ledgerLineStart)) || !bytes.HasSuffix(line, []byte(ledgerLineEnd)) {
			return nil, &CorruptError{File: path, Line: n, Why: "is no record of a consumed token"}
		}
	}
	return l, nil
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
		key, _, _ := bytes.Cut(line[len(ledgerLineStart):], []byte(`"`))
		if _, again := l.at[string(key)]; !again {
			l.at[string(key)] = at
		}
		at += len(line) + 1
	}
	return l.at
}

// end is the offset after the last whole line.
func (l *Ledger) end() int64 { return int64(len(l.text)) }

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

// ledgerMayBegin refuses to begin a ledger where the audit log says that there was one: its tokens could
// be consumed again.
func (x *session) ledgerMayBegin() error {
	log, err := x.state.ReadFile(logName, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && bytes.Contains(log, []byte(`"event_type":"`+eventResume+`"`)) {
		err = &CorruptError{File: filepath.Join(x.opt.StateDir, ledgerName), Why: "is missing or empty, although the audit log records consumed tokens"}
	}
	return err
}
