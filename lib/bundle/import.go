package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Options says how to import.
type Options struct {
	Name        string // of the bundle, for messages
	MaxDocument int    // bytes that a document may have; 0 is handoff.DefaultMaxDocumentBytes

	WithState bool // take over read marks and consumed tokens: whoever made the bundle is to be trusted not to hide mail
	DryRun    bool // say what would be done, and do nothing
	MustSign  bool // refuse what has no good signature
	KeepGoing bool // store those of the documents that can be stored
}

// Imported says what became of a bundle.
type Imported struct {
	Results []handoff.Result // of its handoffs, in its order
	Marks   int              // read marks that are new here
	Tokens  int              // consumed tokens that are new here
	Left    Counts           // of marks and tokens that were left out, for want of WithState
}

// An Input can be read again from anywhere, as an os.File and a bytes.Reader can.
type Input interface {
	io.ReadSeeker
	io.ReaderAt
}

// mostHeld is how many bytes of documents are held from when they are proven until they are stored.
// Those of a larger bundle are read anew for each step, unless it is packed.
const mostHeld = 4 << 20

// Import stores what a bundle holds, in one batch and through all that a document to write goes
// through; what is stored here already is StatusExisting. The bundle is read twice: first to prove the
// whole of it, so that nothing is stored or held of one that is not as it was made. Errors are those
// of Reader and of handoff.Store.Write.
func Import(ctx context.Context, s *handoff.Store, from Input, o Options) (got Imported, err error) {
	if o.MaxDocument == 0 {
		o.MaxDocument = handoff.DefaultMaxDocumentBytes
	}
	if err := s.Maintenance().Ready(); err != nil {
		return got, err
	}
	n := 0
	count := func(_ *Reader, l Line) {
		if l.Handoff != nil {
			n++
		}
	}
	if err := each(from, o, count); err != nil {
		return got, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return got, fmt.Errorf("nothing was imported: cannot read %s again: %w", o.Name, err)
	}
	c := contents{from: from}
	c.Sources, c.Marks = make([]handoff.Source, 0, n), make(map[string][]handoff.Mark)
	if err := each(from, o, func(r *Reader, l Line) { c.take(r, l, o) }); err != nil {
		return got, err
	}
	if !o.WithState {
		got.Left = Counts{Marks: c.marked, Tokens: len(c.Acts)}
		c.Marks, c.Acts = nil, nil
	}
	for _, t := range c.Acts { // nothing is stored before: a log keeps a credential in a reason for good
		if err := handoff.CheckReason(t.Reason); err != nil {
			return got, err
		}
	}
	c.KeepGoing, c.DryRun = o.KeepGoing, o.DryRun
	got.Results, got.Marks, got.Tokens, err = exchange.Unpack(ctx, s, c.Parcel)
	return got, err
}

// each calls do with every line. Without error the bundle is proven.
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

// contents is what a bundle holds.
type contents struct {
	exchange.Parcel
	from   io.ReaderAt
	held   int // bytes of documents
	origin handoff.Origin
	marked int // how many marks
}

// take adds a line to what is going to be imported.
func (c *contents) take(r *Reader, l Line, o Options) {
	switch {
	case l.Handoff != nil:
		c.origin.Writer = r.Header.Writer
		source := handoff.Source{Name: fmt.Sprintf("%s, line %d", o.Name, l.Number), ID: l.Handoff.ID,
			Origin: &c.origin, Signatures: l.Handoff.Signatures, MustSign: o.MustSign}
		if c.held += len(l.Handoff.Text); c.held > mostHeld && !r.packed {
			source.Open = again(c.from, r.at, len(r.line)-1)
		} else {
			source.Text = []byte(l.Handoff.Text)
		}
		c.Sources = append(c.Sources, source)
	case l.Read != nil:
		c.marked++
		c.Marks[l.Read.ID] = append(c.Marks[l.Read.ID], handoff.Mark{Operator: l.Read.Operator, Time: l.Read.Time})
	case l.Consumed != nil:
		if !l.Consumed.Act().IsVerdict() { // a bundle can be made without the right to approve
			c.Acts = append(c.Acts, *l.Consumed)
		}
	}
}

// again returns what reads the document of a line once more. That it is the same is for the store to see.
func again(from io.ReaderAt, at int64, size int) func() (handoff.Source, error) {
	return func() (src handoff.Source, err error) {
		line := make([]byte, size)
		if _, err = from.ReadAt(line, at); err != nil {
			return src, err
		}
		l, err := parseLine(line)
		if err != nil || l.Handoff == nil {
			return src, errors.New("it was changed while it was read")
		}
		src.Text = []byte(l.Handoff.Text)
		return src, nil
	}
}
