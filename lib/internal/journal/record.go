package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Place is a directory of the store.
type Place byte

// The places.
const (
	Handoffs   Place = 'h' // the handoffs directory
	Signatures Place = 's' // the directory of signatures in it
	State      Place = 'r' // the state directory
)

// A Name is the name of a file of the store.
type Name struct {
	Place Place
	File  string
}

// A Text is the content that a file must have. A large one is in a spool.
type Text struct {
	Bytes  []byte `json:"-"`
	Spool  string // the name of the spool; "" if Bytes has the text, Elsewhere if nothing has it
	Span   Span   // in the spool
	SHA256 Hash
}

// Elsewhere replaces the name of a spool if only the hash of a text is kept.
const Elsewhere = "."

// NewText returns a text that goes into the record itself.
func NewText(text []byte) Text { return Text{Bytes: text, SHA256: HashOf(text)} }

// Len returns the length in bytes.
func (t Text) Len() int64 {
	if t.Spool != "" {
		return t.Span.Length
	}
	return int64(len(t.Bytes))
}

// A File is a file with its content.
type File struct {
	Name
	Text
}

// A Gone is a file to remove if it still has this content.
type Gone struct {
	Name
	SHA256 Hash
}

// A Record is one change of a store, as a list of its effects.
type Record struct {
	Head `json:"-"`
	Op   string // the name of the operation, for messages
	New  []File // new files: handoffs and their signatures
	Put  []File // replaced files: archives, signatures, files of the state
	Gone []Gone

	Table               []byte      `json:"-"` // the whole of INDEX.md; nil if the rows below define it
	Unset               []string    // the ids of removed rows
	Set                 []index.Row // replacements for the rows with their ids
	Added               []index.Row // rows that are appended
	Links               []string    // archives that INDEX.md must link
	LogText, LedgerText []byte      `json:"-"`

	Spooled *Text // the payload, if it is too large for the journal; all else is empty then
}

// texts returns the texts of a record that its JSON leaves out.
func (r *Record) texts() []*[]byte {
	all := []*[]byte{&r.Table, &r.LogText, &r.LedgerText}
	for _, list := range [][]File{r.New, r.Put} {
		for i := range list {
			all = append(all, &list[i].Bytes)
		}
	}
	return all
}

// An entry is a record or a checkpoint.
type entry interface{ texts() []*[]byte }

// A line is the first line of a payload.
type line struct {
	Sizes []int // of the texts that follow; -1 for nil
	Entry entry
}

// encode returns a payload in parts, so that a large change has its texts in memory only once.
func encode(e entry) [][]byte {
	first, parts := line{Entry: e}, make([][]byte, 1)
	for _, text := range e.texts() {
		size := len(*text)
		if *text == nil {
			size = -1
		}
		first.Sizes, parts = append(first.Sizes, size), append(parts, *text)
	}
	parts[0], _ = json.Marshal(first) // never fails
	parts[0] = append(parts[0], '\n')
	return parts
}

// errPayload is the error for a verified payload that is unreadable: another version wrote it.
var errPayload = errors.New("it has a field that this version does not know")

// decode is the inverse of encode. The texts share the memory of b.
func decode(b []byte, e entry) error {
	text, rest, _ := bytes.Cut(b, []byte("\n"))
	first, fields := line{Entry: e}, json.NewDecoder(bytes.NewReader(text))
	fields.DisallowUnknownFields()
	if err := fields.Decode(&first); err != nil {
		return fmt.Errorf("%w: %w", errPayload, err)
	}
	all := e.texts()
	if len(all) != len(first.Sizes) {
		return errPayload
	}
	for i, size := range first.Sizes {
		if size > len(rest) {
			return io.ErrUnexpectedEOF
		}
		if size >= 0 {
			*all[i], rest = rest[:size:size], rest[size:]
		}
	}
	if len(rest) > 0 {
		return errPayload
	}
	return nil
}

// A Checkpoint is the beginning of a journal.
type Checkpoint struct {
	Head  `json:"-"`
	Table []byte `json:"-"` // the whole text that INDEX.md must have
	Was   Hash   // of INDEX.md as read by the command that made the checkpoint

	// The bytes of the last partial page of the audit log and the ledger, up to their sizes. The next append
	// writes these pages again.
	LogTail, LedgerTail []byte `json:"-"`

	State map[string]*Text // the files of the state that are replaced as a whole; large ones without their bytes
}

// texts returns the texts of a checkpoint that its JSON leaves out.
func (c *Checkpoint) texts() []*[]byte {
	all := []*[]byte{&c.Table, &c.LogTail, &c.LedgerTail}
	for _, name := range slices.Sorted(maps.Keys(c.State)) {
		if text := c.State[name]; text != nil {
			all = append(all, &text.Bytes)
		}
	}
	return all
}

// Compare orders names.
func (n Name) Compare(other Name) int {
	return cmp.Or(int(n.Place)-int(other.Place), strings.Compare(n.File, other.File))
}
