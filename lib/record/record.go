// Package record joins the structured kinds to the store: it makes the handoff that carries a record, and
// finds the record, and what it says about resuming, in a handoff.
//
// The kinds are resume packets (package packet), universal handoffs (universal) and run records (run); the
// table of them is in kinds.go, that of their fields beside each kind. What is read of a record goes one
// way: its shape says the kind, the search for credentials goes over it, the kind reads and completes it,
// and what comes of that gives the head, the view and the block of the handoff. Each rides in the body of a
// handoff, as a view for people and a block that is the source of truth. A body without a record is plain.
package record

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// Plain is the kind of a body without a record.
const Plain = "plain"

// InputJSON returns what packet.Check takes for a record as JSON. What looks like no kind is taken for a
// packet. rules are those of universal records, from package schema.
func InputJSON(name string, data []byte, rules handoff.Rules) packet.Input {
	k := shapeOf(data)
	if k.name == "" {
		return packet.Input{Name: name, Data: data}
	}
	return k.inputOf(name, data, rules)
}

// Input returns what packet.Check takes for a handoff. rules are those of universal records.
func Input(name string, d handoff.Document, rules handoff.Rules) packet.Input {
	block, ok, err := fields.Extract(d.Body)
	if err != nil || !ok {
		return packet.Input{Name: name, ID: d.HandoffID, Err: err, Facts: plainFacts(d), References: d.References}
	}
	k, known := kindOfBlock(block)
	if !known {
		return packet.Input{Name: name, ID: d.HandoffID, Err: fmt.Errorf("the record is of the unknown kind %s/%s", block.Kind, block.Version)}
	}
	in := k.inputOf(name, block.JSON, rules)
	in.ID, in.References = d.HandoffID, d.References
	if c, err := k.read(block.JSON); err == nil {
		if err := compareViews(c, block.View); err != nil {
			in.Faults = []handoff.Fault{{Problem: err.Error(), Hint: "believe neither; ask the sender"}}
		}
	}
	return in
}

// inputOf returns what packet.Check takes for a record of the kind.
func (k kind) inputOf(name string, data []byte, rules handoff.Rules) packet.Input {
	in := k.input(data, rules)
	in.Name = name
	return in
}

// plainFacts is all that a plain handoff says: when it was written, and its text.
func plainFacts(d handoff.Document) *packet.Facts {
	f := &packet.Facts{Kind: Plain, UpdatedAt: d.Time, Texts: []packet.Passage{{Text: d.Body}}}
	for _, name := range packet.Required() {
		if name != "updated_at" {
			f.Cannot = append(f.Cannot, name)
		}
	}
	return f
}
