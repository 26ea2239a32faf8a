// Package record reads what a handoff says about resuming from it, whatever its kind: a packet, a run
// record, or a plain body without a record.
//
// Structured kinds ride in the body of a handoff, as a view for people and a block that is the source of
// truth; package packet and package run say what is in them.
package record

import (
	"encoding/json"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/carrier"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Plain is the kind of a body without a record.
const Plain = "plain"

// InputJSON returns what Check takes for a record as JSON. What looks like no kind is taken for a packet.
func InputJSON(name string, data []byte) packet.Input {
	if run.Detect(data) && !packet.Detect(data) {
		return runInput(name, data)
	}
	return packet.Input{Name: name, Data: data}
}

// Input returns what Check takes for a handoff.
func Input(name string, d handoff.Document) packet.Input {
	block, ok, err := carrier.Extract(d.Body)
	switch {
	case err != nil:
		return packet.Input{Name: name, Err: err}
	case !ok:
		return packet.Input{Name: name, Facts: plainFacts(d)}
	}
	switch block.Kind + "/" + block.Version {
	case packet.Kind + "/" + packet.Version:
		return packet.Input{Name: name, Data: block.JSON}
	case run.Kind + "/" + run.Version:
		return runInput(name, block.JSON)
	}
	return packet.Input{Name: name, Err: fmt.Errorf("the record is of the unknown kind %s/%s", block.Kind, block.Version)}
}

func runInput(name string, data []byte) packet.Input {
	draft, err := run.Parse(data, run.Defaults{})
	if err != nil {
		return packet.Input{Name: name, Err: err}
	}
	facts := draft.Record.Facts()
	return packet.Input{Name: name, Facts: &facts}
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

// Token returns the resume token and the next action of an input, "" for what it does not have.
func Token(in packet.Input) (token, next string) {
	if in.Facts != nil {
		return in.Facts.ResumeToken, in.Facts.NextAction
	}
	var fields map[string]json.RawMessage // a packet with faults in other fields has them all the same
	if err := json.Unmarshal(in.Data, &fields); err == nil {
		_ = json.Unmarshal(fields["resume_token"], &token)
		_ = json.Unmarshal(fields["next_action"], &next)
	}
	return token, next
}
