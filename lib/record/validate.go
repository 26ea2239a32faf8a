package record

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A Validation is what was found in one record.
type Validation struct {
	Name  string `json:"name"`                 // such as a file name or an id
	ID    string `json:"handoff_id,omitempty"` // of what is stored
	Kind  string `json:"kind"`                 // such as universal/3.0, "" for a text that is not JSON
	Valid bool   `json:"valid"`
	universal.Report
}

// Validate runs every stage that the kind of a record has. What looks like no kind is taken for a universal
// handoff, the one kind that has stages after its schema. The error says that the options cannot be used.
func Validate(name string, data []byte, o universal.Options) (v Validation, err error) {
	v.Name = name
	k := shapeOf(data)
	if k.name == "" {
		k, _ = kindOf(data, universal.Kind)
	}
	// A text that is not JSON is of no kind, whatever its faults are told as.
	if _, broken := jsontree.Parse(data); broken == nil {
		v.Kind = k.label()
	}
	v.Report, err = k.validate(data, o)
	v.Valid = v.Report.Valid()
	return v, err
}

// Confirmed records in the audit log who confirmed answers in other words to the handoff of the id, ""
// for one that is not stored. It returns why that was not possible, "" if it was or nobody confirmed
// any.
func Confirmed(ctx context.Context, s *handoff.Store, id string, r packet.Report) string {
	switch {
	case r.ConfirmedBy == "":
		return ""
	case id == "":
		return "the artifact is not stored: no audit log records who confirmed the answers"
	}
	v := handoff.Validation{HandoffID: id, Kind: r.Kind, Valid: r.Class == packet.Clean, Stage: packet.Replay, Faults: len(r.Faults), ConfirmedBy: r.ConfirmedBy}
	if !s.AuditLog().RecordValidation(ctx, v) {
		return "the audit log is busy or cannot be written: it does not record who confirmed the answers"
	}
	return ""
}
