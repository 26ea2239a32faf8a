package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A Validation is what was found in one record.
type Validation struct {
	Name  string `json:"name"` // such as a file name or an id
	Kind  string `json:"kind"` // such as universal/3.0, "" for a text that is not JSON
	Valid bool   `json:"valid"`
	universal.Report
}

// Validate runs every stage that the kind of a record has. What looks like no kind is taken for a universal
// handoff, the one kind that has stages after its schema. The error says that the options cannot be used.
func Validate(name string, data []byte, o universal.Options) (Validation, error) {
	kind, faults, err := Detect(data), error(nil), error(nil)
	switch kind {
	case packet.Kind:
		kind += "/" + packet.Version
		_, faults = packet.Parse(data)
	case run.Kind:
		kind += "/" + run.Version
		_, faults = run.Parse(data, run.Defaults{ProjectID: "-", CreatedAt: "1970-01-01T00:00:00Z"}) // write fills them in
	default:
		var d *universal.Document
		if d, faults = universal.Parse(data); faults == nil {
			v := Validation{Name: name, Kind: universal.Kind + "/" + universal.Version}
			v.Report, err = d.Validate(o)
			v.Valid = v.Report.Valid()
			return v, err
		}
		kind = ""
	}
	v := Validation{Name: name, Kind: kind, Report: universal.Report{Stage: universal.StageSchema, Faults: []handoff.Fault{}, Warnings: []handoff.Fault{}}}
	var found *handoff.DocumentError
	if errors.As(faults, &found) {
		v.Faults = found.Faults
	}
	v.Valid = v.Report.Valid()
	return v, nil
}
