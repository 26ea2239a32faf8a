// Package jsonedit changes JSON texts that belong to someone else: an edit inserts, replaces or removes one
// value and leaves every other byte as it is, be it order, indentation, the digits of a number or the end
// of the last line.
//
// What is read is what jsontree.Scan takes. Comments, trailing commas, a key that occurs twice in an
// object, a byte-order mark and a second value are refused: an edit of a text that is not wholly
// understood could mean something else to whoever reads it next.
package jsonedit

import (
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Document is a text that was read.
type Document struct {
	Root *jsontree.Value
	src  []byte
}

// Parse reads a text. The error is always a *fault.DocumentError with the place of its one fault.
func Parse(src []byte) (*Document, error) {
	root, err := jsontree.Scan(src)
	if err != nil {
		return nil, err
	}
	return &Document{root, src}, nil
}

// Place returns the line and the column of an offset, both 1-based, the column in characters.
func (d *Document) Place(offset int) (line, column int) { return form.Place(d.src, offset) }

// Raw returns the bytes of n.
func (d *Document) Raw(n *jsontree.Value) []byte { return d.src[n.Start:n.End] }
