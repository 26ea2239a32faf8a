package record

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

// A Block is the record that a body carries: its kind and version, its JSON, and its view for people.
type Block = fields.Block

// Extract returns the record in the body of a stored handoff. A plain body is handoff.ErrInvalid, a body
// whose record is broken handoff.ErrIntegrity.
func Extract(s handoff.Stored) (Block, error) {
	block, ok, err := fields.Extract(s.Body)
	switch {
	case err != nil:
		return Block{}, &handoff.CorruptError{File: s.Path, Why: err.Error()}
	case !ok:
		return Block{}, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("%s carries no record", s.Entry.ID),
			Advice: "it is a plain handoff: use `handoff read`"}
	}
	return block, nil
}

// CheckBody says why a body that announces a record is not what it claims to be: the record is broken
// or invalid, or the view is not the one that the record gives. Of a plain body, a body without a
// view, and a kind that this version does not know there is nothing to say.
func CheckBody(body string) error {
	block, ok, err := fields.Extract(body)
	if err != nil || !ok {
		return err
	}
	k, known := kindOfBlock(block)
	if !known {
		return nil
	}
	// Read as a stored record: what a new one could leave out must be there.
	c, err := k.read(block.JSON)
	if err != nil {
		return fmt.Errorf("the record is not a valid %s: %w", k.label(), err)
	}
	return compareViews(c, block.View)
}

// compareViews compares the view that stands before a record, if there is one, with the one that the record gives, or
// gave to earlier programs.
func compareViews(c content, shown string) error {
	if shown == "" {
		return nil
	}
	err := compareView(c.View(), shown)
	earlier, has := c.(interface{ EarlierView() string })
	if err != nil && has && compareView(earlier.EarlierView(), shown) == nil {
		return nil
	}
	return err
}

// compareView names the first line in which a body differs from the view that its record gives.
func compareView(view, shown string) error {
	want, got := strings.Split(strings.TrimRight(view, "\n"), "\n"), strings.Split(strings.TrimRight(shown, "\n"), "\n")
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return fmt.Errorf("line %d of the body: the view and the record disagree", i+1)
		}
	}
	return nil
}
