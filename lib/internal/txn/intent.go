package txn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The operations that an intent can announce. Each has one file whose replacement commits it.
const (
	OpWrite      = "write"      // Index gets Rows
	OpMarkRead   = "mark-read"  // the rows of Marks in Index get their marks
	OpRotate     = "rotate"     // Rows leave Index, after the archives in Bodies are there
	OpRepair     = "repair"     // Index gets the content with IndexSHA256
	OpResume     = "resume"     // the ledger of consumed tokens gets LedgerLine; then the rows of Marks get their marks
	OpRegenerate = "regenerate" // the fingerprint file gets Fingerprint
)

// ErrIntent is wrapped by errors about an intent that is not as it was written.
var ErrIntent = errors.New("the intent file is damaged")

// An Intent says what a change is going to do, in enough detail to finish it or to take it back.
type Intent struct {
	Op          string       `json:"op"`
	Index       string       `json:"index,omitempty"`
	Bodies      []Body       `json:"bodies,omitempty"`
	IndexSHA256 string       `json:"index_sha256,omitempty"`
	Marks       []IntentMark `json:"marks,omitempty"`
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

type sealedIntent struct {
	Version int             `json:"version"`
	Intent  json.RawMessage `json:"intent"`
	SHA256  string          `json:"sha256"`
}

// Bytes returns the intent as a file, with a checksum.
func (i Intent) Bytes() ([]byte, error) {
	lines := i.LogLines
	i.LogLines = ""
	text, err := json.Marshal(i) // ends with the empty log_lines
	if err != nil {
		return nil, err
	}
	text = append(appendQuoted(slices.Grow(text[:len(text)-2], len(lines)*9/8), lines), `"}`...)
	sum := sha256.Sum256(text)
	return fmt.Appendf(make([]byte, 0, len(text)+128), `{"version":1,"intent":%s,"sha256":"%x"}`+"\n", text, sum), nil
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

// ParseIntent is the inverse of Bytes. Any difference, down to a byte, is ErrIntent.
func ParseIntent(file []byte) (Intent, error) {
	var s sealedIntent
	if err := json.Unmarshal(file, &s); err != nil {
		return Intent{}, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	sum := sha256.Sum256(s.Intent)
	if s.Version != 1 || hex.EncodeToString(sum[:]) != s.SHA256 {
		return Intent{}, fmt.Errorf("%w: its checksum does not match", ErrIntent)
	}
	var i Intent
	if err := json.Unmarshal(s.Intent, &i); err != nil {
		return Intent{}, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	return i, nil
}
