package record

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

// A Block is the record in a body: its kind and version, its JSON, and its view for people.
type Block = fields.Block

// Extract returns the record in the body of a stored handoff. A body without a record is handoff.ErrInvalid, a
// broken record handoff.ErrIntegrity.
func Extract(s handoff.Stored) (Block, error) {
	block, ok, err := fields.Extract(s.Body)
	switch {
	case err != nil:
		return Block{}, &handoff.CorruptError{File: s.Path, Why: err.Error()}
	case !ok:
		return Block{}, invalid("it is plain: run `handoff read`", "%s has no record", s.Entry.ID)
	}
	return block, nil
}

// CheckBody returns an error if the record in a body is broken or invalid, or if the view is not the one of the
// record. It accepts a plain body, a body without a view, and a kind that this version does not know.
func CheckBody(body string) error {
	block, ok, err := fields.Extract(body)
	if err != nil || !ok {
		return err
	}
	k, known := kindOfBlock(block)
	if !known {
		return nil
	}
	// Parse it as a stored record: all fields must be there.
	c, err := k.read(block.JSON)
	if err != nil {
		return fmt.Errorf("the record is not a valid %s: %w", k.label(), err)
	}
	return compareView(c.View(), block.View)
}

// compareView returns an error for the first line in which a body differs from the view. A body can be without one.
func compareView(view, shown string) error {
	if shown == "" {
		return nil
	}
	want, got := strings.Split(strings.TrimRight(view, "\n"), "\n"), strings.Split(strings.TrimRight(shown, "\n"), "\n")
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return fmt.Errorf("line %d of the body: the view and the record disagree", i+1)
		}
	}
	return nil
}
