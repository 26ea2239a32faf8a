package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Options configure an import.
type Options struct {
	Name        string // the name of the bundle, for messages
	MaxDocument int    // the maximum bytes of a document; 0 means handoff.DefaultMaxDocumentBytes

	WithState bool // import read marks and consumed tokens; they can hide handoffs, so trust the sender
	DryRun    bool // report what would be done, and do nothing
}

// Imported is the result of an import.
type Imported struct {
	Results []handoff.Result // of the handoffs, in their order
	Marks   int              // new read marks
	Tokens  int              // new consumed tokens
	Left    Counts           // marks and tokens that were left out without WithState
}

// An Input is at its beginning, and can be read again at any offset, such as an os.File or a bytes.Reader.
type Input interface {
	io.Reader
	io.ReaderAt
}

// Import stores the handoffs of a bundle in one batch, with the checks of a new document. A handoff that is already
// stored is StatusExisting. Nothing of a bundle is stored or held before all of it is proven. Its documents are read
// again when they are needed, so that a large bundle needs little memory. Errors are those of Reader and of
// handoff.Store.Write.
func Import(ctx context.Context, s *handoff.Store, from Input, o Options) (got Imported, err error) {
	if o.MaxDocument == 0 {
		o.MaxDocument = handoff.DefaultMaxDocumentBytes
	}
	if err := s.Maintenance().Ready(); err != nil {
		return got, err
	}
	c := contents{from: from}
	c.Marks = make(map[string][]handoff.Mark)
	if err := each(from, o, func(r *Reader, l Line) { c.take(r, l, o) }); err != nil {
		return got, err
	}
	if !o.WithState {
		got.Left = Counts{Marks: c.marked, Tokens: len(c.Acts)}
		c.Marks, c.Acts = nil, nil
	}
	for _, t := range c.Acts { // before anything is stored: a credential in a reason would stay in the log for good
		if err := handoff.CheckReason(t.Reason); err != nil {
			return got, err
		}
	}
	c.DryRun = o.DryRun
	got.Results, got.Marks, got.Tokens, err = exchange.Unpack(ctx, s, c.Parcel)
	return got, err
}

// each calls do for each line. If it returns no error, the bundle is proven.
func each(from io.Reader, o Options, do func(*Reader, Line)) error {
	r, err := NewReader(from, o.Name, o.MaxDocument)
	if err != nil {
		return err
	}
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		do(r, l)
	}
}

// contents is the content of a bundle.
type contents struct {
	exchange.Parcel
	from   io.ReaderAt
	origin handoff.Origin
	marked int // the number of marks
}

// take adds a line.
func (c *contents) take(r *Reader, l Line, o Options) {
	switch {
	case l.Handoff != nil:
		c.origin.Writer = r.Header.Origin.Writer
		c.Sources = append(c.Sources, handoff.Source{Name: fmt.Sprintf("%s, line %d", o.Name, l.Number), ID: l.ID,
			Origin: &c.origin, Signatures: l.Signatures,
			Open: reopen(c.from, r.at, len(r.line)-1)})
	case l.Read != nil:
		c.marked++
		c.Marks[l.Read.ID] = append(c.Marks[l.Read.ID], handoff.Mark{Operator: l.Read.Operator, Time: l.Read.Time})
	case l.Consumed != nil:
		c.Acts = append(c.Acts, *l.Consumed)
	}
}

// reopen returns a function that reads the document of a line again. The store checks that it did not change.
func reopen(from io.ReaderAt, at int64, size int) func() (handoff.Source, error) {
	return func() (src handoff.Source, err error) {
		line, l := make([]byte, size), Handoff{}
		if _, err = from.ReadAt(line, at); err == nil && json.Unmarshal(line, &l) != nil {
			err = errors.New("it was changed while it was read")
		}
		return handoff.Source{Text: []byte(l.Text)}, err
	}
}
