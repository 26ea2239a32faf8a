package record

import (
	"context"
	_ "embed" // for the form of a validation

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A Validation is the result of validating one record.
type Validation struct {
	Name  string `json:"name"`                 // such as a file name or an id
	ID    string `json:"handoff_id,omitempty"` // of a stored record
	Kind  string `json:"kind"`                 // such as universal/3.0, "" for a text that is not JSON
	Valid bool   `json:"valid"`
	universal.Report
}

// Text returns the result for people.
func (v Validation) Text() string { return validation(v) }

//go:embed validation.txt
var validationText string
var validation = fields.View(validationText)

// Verdict returns the result in one or two words.
func (v Validation) Verdict() string {
	switch {
	case v.Valid:
		return "VALID"
	case v.Stage == "":
		return "UNREADABLE"
	case v.Mismatch && len(v.Faults) == 1:
		return "HASH MISMATCH"
	}
	return "INVALID"
}

// Validate runs all stages of a record's kind. A record of no known shape counts as a universal handoff, the only
// kind with stages after its schema.
func Validate(name string, data []byte, o universal.Options) Validation {
	v := Validation{Name: name}
	k := shapeOf(data)
	if k.name == "" {
		k, _ = kindOf(data, universal.Kind)
	}
	// A text that is not JSON has no kind.
	if _, broken := jsontree.Parse(data); broken == nil {
		v.Kind = k.label()
	}
	if k.validate != nil {
		v.Report = k.validate(data, o)
	} else {
		// A record without the fields that write fills in is valid.
		_, faults := k.build(Options{Project: func() string { return "-" },
			Now: func() string { return "1970-01-01T00:00:00Z" }},
			data, screenedRecord{})
		v.Report = schemaReport(faults)
	}
	v.Valid = v.Report.Valid()
	return v
}

// Check is packet.Check, and records in the audit log who confirmed the answers. A note of the report says why that
// failed.
func Check(ctx context.Context, s *handoff.Store, in packet.Input, o packet.CheckOptions) packet.Report {
	r := packet.Check(in, o)
	switch {
	case r.ConfirmedBy == "":
	case in.ID == "":
		r.Notes = append(r.Notes,
			"the artifact is not stored: the audit log does not record who confirmed the answers")
	case !s.AuditLog().Confirm(ctx, in.ID, r.ConfirmedBy):
		r.Notes = append(r.Notes,
			"the audit log is busy or cannot be written: it does not record who confirmed the answers")
	}
	return r
}
