// Package record connects the structured kinds with the store. It makes the handoff that carries a record, and
// finds the record of a handoff.
//
// The kinds are resume packets (package packet), universal handoffs (universal) and run records (run). Their
// table is in kinds.go; each has its table of fields in its own package.
//
// A new record passes these steps. Its shape determines the kind. It is scanned for credentials. The kind parses
// and completes it. The result gives the head of the handoff, the view for people and the block. The body
// consists of the view and the block; the block is the source of truth. A body without a record is plain.
package record

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// Plain is the kind of a body without a record.
const Plain = "plain"

// InputJSON returns the input of packet.Check for a record as JSON. A record of no known shape counts as a
// packet. rules apply to universal records; see package schema.
func InputJSON(name string, data []byte, rules handoff.Rules) packet.Input {
	k := shapeOf(data)
	if k.name == "" {
		return packet.Input{Name: name, Data: data}
	}
	in := k.input(data, rules)
	in.Name = name
	return in
}

// Input returns the input of packet.Check for a handoff. rules apply to universal records.
func Input(name string, d handoff.Document, rules handoff.Rules) packet.Input {
	block, ok := fields.Extract(d.Body)
	k, known := kindOfBlock(block)
	switch {
	case !ok, known && k.holds(block) == nil:
		return packet.Input{Name: name, ID: d.HandoffID, Facts: plainFacts(d), References: d.References}
	case !known:
		return packet.Input{Name: name, ID: d.HandoffID,
			Err: fmt.Errorf("unknown kind %s/%s", block.Kind, block.Version)}
	}
	in := k.input(block.JSON, rules)
	in.Name, in.ID, in.References = name, d.HandoffID, d.References
	return in
}

// plainFacts returns the facts of a plain handoff: its time and its text.
func plainFacts(d handoff.Document) *packet.Facts {
	f := &packet.Facts{Kind: Plain, UpdatedAt: d.Time, Texts: []packet.Passage{{Text: d.Body}}}
	for _, name := range packet.Required() {
		if name != "updated_at" {
			f.Cannot = append(f.Cannot, name)
		}
	}
	return f
}
