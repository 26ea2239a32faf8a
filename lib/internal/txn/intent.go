package txn

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrIntent is wrapped by errors about an intent that is not as it was written.
var ErrIntent = errors.New("the intent file is damaged")

// An Intent says what a change is going to do, in enough detail to finish it or to take it back.
type Intent struct {
	Op          string       `json:"op"`              // the name of an Operation
	Place       uint64       `json:"place,omitempty"` // inode of the handoffs directory, in which those of the bodies count
	Index       string       `json:"index,omitempty"`
	Bodies      []Body       `json:"bodies,omitempty"`
	IndexSHA256 string       `json:"index_sha256,omitempty"`
	Marks       []IntentMark `json:"marks,omitempty"`
	Removed     []Body       `json:"removed,omitempty"` // handoffs that go; one without a file is not stored here
	Signatures  []Signature  `json:"signatures,omitempty"`
	Pins        string       `json:"pins,omitempty"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	History     string       `json:"history,omitempty"` // a line for the history of fingerprints

	// LedgerOffset is the end of the whole lines of the ledger before the change.
	LedgerOffset int64  `json:"ledger_offset,omitempty"`
	LedgerLine   string `json:"ledger_line,omitempty"`

	// LogOffset is the size of the audit log before the change, LogLines what the change appends.
	LogOffset int64  `json:"log_offset"`
	LogLines  string `json:"log_lines"` // the last: see Bytes
}

// A Body is a file that a change publishes, and the row that lists it.
type Body struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Inode  uint64 `json:"inode,omitempty"` // 0: the file was there before, and is not to be taken back
	ID     string `json:"id,omitempty"`
	Row    string `json:"row,omitempty"`
}

// An IntentMark is a read mark that a change sets.
type IntentMark struct {
	ID       string `json:"id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// A sealedIntent is the file. One of the first version has a checksum only.
type sealedIntent struct {
	Version int             `json:"version"`
	Intent  json.RawMessage `json:"intent"`
	HMAC    string          `json:"hmac"`
	SHA256  string          `json:"sha256"`
}

// Bytes returns the intent as a file, authenticated.
func (i Intent) Bytes(key Key) ([]byte, error) {
	lines := i.LogLines
	i.LogLines = ""
	text, err := json.Marshal(i) // ends with the empty log_lines
	if err != nil {
		return nil, err
	}
	text = append(appendQuoted(slices.Grow(text[:len(text)-2], len(lines)*9/8), lines), `"}`...)
	return fmt.Appendf(make([]byte, 0, len(text)+128), `{"version":2,"intent":%s,"hmac":"%x"}`+"\n", text, key.sign(text)), nil
}

// appendQuoted appends a text as the inside of a JSON string. It goes line by line: encoding/json would copy the many
// lines of a batch again and again.
func appendQuoted(b []byte, text string) []byte {
	for line := range strings.Lines(text) {
		quoted, _ := json.Marshal(line) // of a string, which cannot fail
		b = append(b, quoted[1:len(quoted)-1]...)
	}
	return b
}

// ParseIntent is the inverse of Bytes. Any difference, down to a byte, and another key is ErrIntent.
func ParseIntent(file []byte, key Key) (Intent, error) {
	var s sealedIntent
	if err := json.Unmarshal(file, &s); err != nil {
		return Intent{}, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	if !key.proves(s) {
		return Intent{}, fmt.Errorf("%w, or was not made with this state directory", ErrIntent)
	}
	var i Intent
	if err := json.Unmarshal(s.Intent, &i); err != nil {
		return Intent{}, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	return i, nil
}
