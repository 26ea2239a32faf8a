package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

// A Block is the record in a body: its kind and version, its JSON, and its view for people.
type Block = fields.Block

// Extract returns the record in the body of a stored handoff. A body without a record is handoff.ErrInvalid.
func Extract(s handoff.Stored) (Block, error) {
	block, ok := fields.Extract(s.Body)
	if ok && CheckBody(s.Body) == nil {
		return block, nil
	}
	return Block{}, invalid("it is plain: run `handoff read`", "%s has no record", s.Entry.ID)
}

// CheckBody returns an error if a body has the mark of a record, but is not exactly the view and the block of a valid
// one: it is text. It accepts a plain body, and a kind that this version does not know.
func CheckBody(body string) error {
	if !fields.Announces(body) {
		return nil
	}
	if block, ok := fields.Extract(body); ok {
		if k, known := kindOfBlock(block); !known || k.holds(block) != nil {
			return nil
		}
	}
	return errors.New("the body is not exactly a record with its view: it is stored as text")
}

// holds returns the record in a block with its view, nil if there is none. A body can be without a view.
func (k kind) holds(block Block) content {
	c, err := k.read(block.JSON)
	if err != nil || block.View != "" && c.View() != block.View {
		return nil
	}
	return c
}
