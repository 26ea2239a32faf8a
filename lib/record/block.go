package record

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/carrier"
)

// A Block is the record that a body carries: its kind and version, its JSON, and its view for people.
type Block = carrier.Block

// Extract returns the record in the body of a stored handoff. A plain body is handoff.ErrInvalid, a body
// whose record is broken handoff.ErrIntegrity.
func Extract(s handoff.Stored) (Block, error) {
	block, ok, err := carrier.Extract(s.Body)
	switch {
	case err != nil:
		return Block{}, &handoff.CorruptError{File: s.Path, Why: err.Error()}
	case !ok:
		return Block{}, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("%s carries no record", s.Entry.ID),
			Advice: "it is a plain handoff: use `handoff read`"}
	}
	return block, nil
}
