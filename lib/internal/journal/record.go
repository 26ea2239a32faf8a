package journal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
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
	Bytes  []byte
	Spool  string // the name of the spool; "" if Bytes has the text, Elsewhere if nothing has it
	Span   Span
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
	Head
	Op   string // the name of the operation, for messages
	New  []File // new files: handoffs and their signatures
	Put  []File // replaced files: archives, signatures, files of the state
	Gone []Gone

	Table               []byte      // the whole of INDEX.md; nil if the rows below define it
	Unset               []string    // the ids of removed rows
	Set                 []index.Row // replacements for the rows with their ids
	Added               []index.Row // rows that are appended
	Links               []string    // archives that INDEX.md must link
	LogText, LedgerText []byte
}

// The letters of the fields of a payload.
const (
	fieldOp, fieldNew, fieldPut, fieldGone       = 'o', 'n', 'p', 'g'
	fieldTable, fieldUnset, fieldSet, fieldAdded = 't', 'u', 's', 'a'
	fieldLink, fieldLog, fieldLedger             = 'k', 'l', 'e'
	fieldSpool                                   = 'S'
	fieldWas, fieldLogTail, fieldLedgerTail      = 'w', 'L', 'E'
	fieldState, fieldSwap, fieldArchives         = 'f', 'x', 'A'
)

func appendField(b []byte, letter byte, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b = binary.AppendUvarint(append(b, letter), uint64(n))
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func appendString(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// encode returns the payload in parts: the fields in this order, lists as one field for each item. The text of the
// log is a part by itself, so that a large change has it in memory only once.
func (r *Record) encode() [][]byte {
	size := len(r.Table) + len(r.LedgerText) + 192*(1+len(r.New)+len(r.Put)+len(r.Set)+len(r.Added))
	for _, f := range r.Put {
		size += len(f.Bytes)
	}
	b := appendField(slices.Grow([]byte(nil), size), fieldOp, []byte(r.Op))
	for _, f := range r.New {
		b = f.append(b, fieldNew)
	}
	for _, f := range r.Put {
		b = f.append(b, fieldPut)
	}
	for _, g := range r.Gone {
		b = appendField(b, fieldGone, g.head(), g.SHA256[:])
	}
	if r.Table != nil {
		b = appendField(b, fieldTable, r.Table)
	}
	for _, id := range r.Unset {
		b = appendField(b, fieldUnset, []byte(id))
	}
	for _, row := range r.Set {
		b = appendField(b, fieldSet, []byte(row.String()))
	}
	for _, row := range r.Added {
		b = appendField(b, fieldAdded, []byte(row.String()))
	}
	for _, name := range r.Links {
		b = appendField(b, fieldLink, []byte(name))
	}
	b = binary.AppendUvarint(append(b, fieldLog), uint64(len(r.LogText)))
	return [][]byte{b, r.LogText, appendField(nil, fieldLedger, r.LedgerText)}
}

// head encodes the place and the name of a file: a letter, the length, and the name.
func (n Name) head() []byte { return appendString([]byte{byte(n.Place)}, n.File) }

// append adds a file to b: its name, the spool with its length, the offset and length there, the hash of the
// text, and the text if no spool has it.
func (f File) append(b []byte, letter byte) []byte {
	at := appendString(nil, f.Spool)
	at = binary.AppendUvarint(at, uint64(f.Span.Offset))
	at = binary.AppendUvarint(at, uint64(f.Span.Length))
	return appendField(b, letter, f.head(), at, f.SHA256[:], f.Bytes)
}

// errPayload is the error for a verified payload that is unreadable: another version wrote it.
var errPayload = errors.New("it has a field that this version does not know")

func (r *Record) decode(b []byte) error {
	return eachField(b, func(letter byte, text []byte) error {
		switch letter {
		case fieldOp:
			r.Op = string(text)
		case fieldNew, fieldPut:
			f, err := decodeFile(text)
			if letter == fieldNew {
				r.New = append(r.New, f)
			} else {
				r.Put = append(r.Put, f)
			}
			return err
		case fieldGone:
			p := &parser{b: text}
			r.Gone = append(r.Gone, Gone{p.name(), p.hash()})
			return p.end()
		case fieldTable:
			r.Table = text[:len(text):len(text)]
		case fieldUnset:
			r.Unset = append(r.Unset, string(text))
		case fieldSet, fieldAdded:
			row, ok := index.ParseRow(string(text))
			if !ok {
				return errPayload
			}
			if letter == fieldSet {
				r.Set = append(r.Set, row)
			} else {
				r.Added = append(r.Added, row)
			}
		case fieldLink:
			r.Links = append(r.Links, string(text))
		case fieldLog:
			r.LogText = text
		case fieldLedger:
			r.LedgerText = text
		default:
			return errPayload
		}
		return nil
	})
}

func decodeFile(text []byte) (f File, err error) {
	p := &parser{b: text}
	f.Name = p.name()
	f.Spool, f.Span = p.text(), Span{int64(p.number()), int64(p.number())}
	f.SHA256 = p.hash()
	if f.Bytes = p.b; p.err != nil {
		return f, p.err
	}
	if f.Spool == "" && HashOf(f.Bytes) != f.SHA256 {
		return f, errPayload
	}
	return f, nil
}

// eachField calls do with the fields of a payload. The texts share the memory of b.
func eachField(b []byte, do func(letter byte, text []byte) error) error {
	for len(b) > 0 {
		letter := b[0]
		n, w := binary.Uvarint(b[1:])
		if w <= 0 || n > uint64(len(b)-1-w) {
			return io.ErrUnexpectedEOF
		}
		b = b[1+w:]
		if err := do(letter, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// A parser reads the parts of a field. After the first missing part it returns zeros.
type parser struct {
	b   []byte
	err error
}

func (p *parser) take(n uint64) []byte {
	if n > uint64(len(p.b)) {
		p.b, p.err = nil, io.ErrUnexpectedEOF
		return nil
	}
	text := p.b[:n]
	p.b = p.b[n:]
	return text
}

func (p *parser) number() uint64 {
	n, w := binary.Uvarint(p.b)
	if w <= 0 || n > maxFile {
		p.b, p.err = nil, io.ErrUnexpectedEOF
		return 0
	}
	p.b = p.b[w:]
	return n
}

func (p *parser) text() string { return string(p.take(p.number())) }

func (p *parser) name() (n Name) {
	if place := p.take(1); len(place) == 1 {
		n.Place = Place(place[0])
	}
	n.File = p.text()
	return n
}

func (p *parser) hash() (h Hash) {
	copy(h[:], p.take(uint64(len(h))))
	return h
}

// end fails if bytes are left.
func (p *parser) end() error {
	if p.err == nil && len(p.b) > 0 {
		return errPayload
	}
	return p.err
}

// A Checkpoint is the beginning of a journal.
type Checkpoint struct {
	Head
	Table []byte // the whole text that INDEX.md must have
	Was   Hash   // of INDEX.md as read by the command that made the checkpoint
	Swap  Hash   // of the swap file of INDEX.md, which was removed but may return after a power cut

	// The bytes of the last partial page of the audit log and the ledger, up to their sizes. The next append
	// writes these pages again.
	LogTail, LedgerTail []byte

	State map[string]Text // the files of the state that are replaced as a whole; large ones without their bytes

	// Archives has the hashes of the archives of INDEX.md, by name. It is nil in a store that is not synced: there git
	// may change them.
	Archives map[string]Hash
}

func (c *Checkpoint) encode() []byte {
	b := appendField(nil, fieldTable, c.Table)
	b = appendField(b, fieldWas, c.Was[:])
	b = appendField(b, fieldSwap, c.Swap[:])
	b = appendField(b, fieldLogTail, c.LogTail)
	b = appendField(b, fieldLedgerTail, c.LedgerTail)
	for name, text := range c.State {
		b = File{Name{State, name}, text}.append(b, fieldState)
	}
	if c.Archives != nil {
		var all []byte
		for name, hash := range c.Archives {
			all = append(appendString(all, name), hash[:]...)
		}
		b = appendField(b, fieldArchives, all)
	}
	return b
}

func (c *Checkpoint) decode(b []byte) error {
	c.State = make(map[string]Text)
	return eachField(b, func(letter byte, text []byte) error {
		switch letter {
		case fieldTable:
			c.Table = text[:len(text):len(text)]
		case fieldWas:
			copy(c.Was[:], text)
		case fieldSwap:
			copy(c.Swap[:], text)
		case fieldLogTail:
			c.LogTail = text
		case fieldLedgerTail:
			c.LedgerTail = text
		case fieldState:
			f, err := decodeFile(text)
			c.State[f.File] = f.Text
			return err
		case fieldArchives:
			c.Archives = make(map[string]Hash)
			p := parser{b: text}
			for p.err == nil && len(p.b) > 0 {
				name := p.text()
				c.Archives[name] = p.hash()
			}
			return p.end()
		default:
			return errPayload
		}
		return nil
	})
}

// Compare orders names.
func (n Name) Compare(other Name) int {
	return cmp.Or(int(n.Place)-int(other.Place), strings.Compare(n.File, other.File))
}
