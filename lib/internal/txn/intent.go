package txn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
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
	LogLines  string `json:"log_lines"` // the last: see Print
	lines     *lines // has them in the place of LogLines where they are many; nil if they are few
}

// A Body is a file that a change publishes, and the row that lists it.
type Body struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Inode  uint64 `json:"inode,omitempty"` // 0: the file was there before, and is not to be taken back
	ID     string `json:"id,omitempty"`
	Row    Row    `json:"row,omitzero"`
}

// A Row is written as the line of the index that it is. One that cannot be read is the zero Row.
type Row struct{ index.Row }

// MarshalText never fails.
func (r Row) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText never fails: who finds an intent decides what a row that is none means.
func (r *Row) UnmarshalText(text []byte) error {
	r.Row, _ = index.ParseRow(string(text))
	return nil
}

// rows are those of the bodies.
func (i *Intent) rows() iter.Seq[index.Row] {
	return func(yield func(index.Row) bool) {
		for _, b := range i.Bodies {
			if !yield(b.Row.Row) {
				return
			}
		}
	}
}

// An IntentMark is a read mark that a change sets.
type IntentMark struct {
	ID       string `json:"id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// Print writes the intent as a file, authenticated, and says how long it is. What a batch has many of
// is written piece by piece: encoding/json would hold several copies of it all.
func (i Intent) Print(w io.Writer, key Key) (size int, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	file := sealing{out, key.mac(), 0}
	out.WriteString(intentStart)
	file.Write(i.head())
	printList(&file, "bodies", i.Bodies)
	printList(&file, "signatures", i.Signatures)
	io.WriteString(&file, `,"log_lines":"`)
	for piece, err := range i.pieces() {
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(piece) {
			file.Write(quoted(line))
		}
	}
	io.WriteString(&file, `"}`)
	end := seal(file.mac)
	out.WriteString(end)
	return len(intentStart) + file.size + len(end), out.Flush() // which tells of all errors before it
}

// head prints what comes before the lists and the lines, and does not end it.
func (i Intent) head() []byte {
	var p jsontree.Printer
	p.Text("op", i.Op)
	if i.Place > 0 {
		p.Number("place", i.Place)
	}
	p.Some("index", i.Index)
	p.Some("index_sha256", i.IndexSHA256)
	jsontree.List(&p, "marks", i.Marks)
	jsontree.List(&p, "removed", i.Removed)
	p.Some("pins", i.Pins)
	p.Some("fingerprint", i.Fingerprint)
	p.Some("history", i.History)
	if i.LedgerOffset > 0 {
		p.Number("ledger_offset", uint64(i.LedgerOffset))
	}
	p.Some("ledger_line", i.LedgerLine)
	p.Number("log_offset", uint64(i.LogOffset))
	return bytes.TrimSuffix(p.End(), []byte("}"))
}

// print is json.Marshal, which would look at the type first: every write prints a body.
func (b Body) print() []byte {
	var p jsontree.Printer
	p.Text("file", b.File)
	p.Text("sha256", b.SHA256)
	if b.Inode > 0 {
		p.Number("inode", b.Inode)
	}
	p.Some("id", b.ID)
	if b.Row != (Row{}) {
		p.Text("row", b.Row.String())
	}
	return p.End()
}

func (s Signature) print() []byte {
	var p jsontree.Printer
	p.Text("id", s.ID)
	p.Text("text", s.Text)
	p.Text("key", s.Key)
	return p.End()
}

// A sealing writer authenticates what it writes.
type sealing struct {
	out  io.Writer
	mac  hash.Hash
	size int
}

func (s *sealing) Write(p []byte) (int, error) {
	s.mac.Write(p)
	s.size += len(p)
	return s.out.Write(p)
}

// printList writes a comma and a member of an object, unless the list is empty.
func printList[T interface{ print() []byte }](w io.Writer, name string, list []T) {
	before := `,"` + name + `":[`
	for _, item := range list {
		io.WriteString(w, before)
		w.Write(item.print())
		before = ","
	}
	if len(list) > 0 {
		io.WriteString(w, "]")
	}
}

// quoted returns a text as the inside of a JSON string.
func quoted(text string) []byte {
	whole, _ := json.Marshal(text) // of a string, which cannot fail
	return whole[1 : len(whole)-1]
}

// The states of the log where an intent wanted to append.
type logProgress int

const (
	logAbsent   logProgress = iota // nothing, or a beginning of the lines
	logComplete                    // all lines, perhaps with more after them
)

// LogState compares a log of the given size with what the intent wanted to append. A fragment that no
// crash of ours explains is a fault, and so is an intent that does not continue the chain: it was not
// made here. Nothing is touched then.
func LogState(s *store.Store, log io.ReaderAt, size int64, intent *Intent) (logProgress, error) {
	corrupt := func(why string) error {
		return &fault.CorruptError{File: filepath.Join(s.Opt.StateDir, layout.Log), Why: why}
	}
	if size < intent.LogOffset {
		return 0, corrupt("shorter than it was before the interrupted change")
	}
	if err := isOurs(s, log, intent); err != nil {
		return 0, err
	}
	tail := make([]byte, min(size-intent.LogOffset, int64(len(intent.LogLines))))
	if _, err := log.ReadAt(tail, intent.LogOffset); err != nil && err != io.EOF {
		return 0, err
	}
	switch {
	case string(tail) == intent.LogLines:
		return logComplete, nil
	case strings.HasPrefix(intent.LogLines, store.AsString(tail)): // which may be long
		return logAbsent, nil
	case durable.Begins(intent.LogLines, tail) && size <= intent.LogOffset+int64(len(tail)):
		return logAbsent, nil // a power cut kept the new size and lost some of the content
	}
	return 0, corrupt("continues in another way than the interrupted change would have")
}

// isOurs says that an intent is one of this store. It lies where others may put files, as in a
// repository that is shared; what it is going to log continues a chain that is known here alone.
func isOurs(s *store.Store, log io.ReaderAt, intent *Intent) error {
	foreign := &fault.CorruptError{File: filepath.Join(s.Opt.Dir, layout.Intent), Why: "was not made by an interrupted command of this store"}
	for _, b := range intent.Bodies {
		if !index.IsFile(b.File) && !layout.IsArchive(b.File) {
			return foreign
		}
	}
	if intent.Index != "" && intent.Index != layout.Index && !layout.IsArchive(intent.Index) {
		return foreign
	}
	if intent.Op == cut.Name && intent.LogLines == "" {
		return nil
	}
	last, _, err := eventlog.Tail(log, intent.LogOffset)
	if err != nil {
		return err
	}
	head := eventlog.Genesis
	if last != nil {
		if head, err = eventlog.HashLine(last); err != nil {
			return foreign
		}
	}
	var first eventlog.Event
	line, _, whole := strings.Cut(intent.LogLines, "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil || !whole || first.Prev != head {
		return foreign
	}
	return nil
}
