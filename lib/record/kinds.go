package record

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// kinds is the table of kinds. A JSON value is compared with their shapes in this order. A new kind is a package
// with a content type, and a row here.
var kinds = []kind{
	{name: packet.Kind, version: packet.Version, detect: looksLikePacket, read: reading(storedPacket),
		build: Options.packet, input: packetInput, table: packet.Table, make: newPacket,
		members: map[string]string{"from": "agent", "topic": "task"}},
	{name: universal.Kind, version: universal.Version, detect: looksLikeUniversal, read: reading(universal.Parse),
		build: Options.universal, input: universalInput, validate: validateUniversal, table: universal.Table,
		make: newUniversal},
	{name: run.Kind, version: run.Version, detect: looksLikeRun, read: reading(storedRun),
		build: Options.run, input: runInput},
}

// A content is a valid record of any kind.
type content interface {
	Head() (from, to, topic, at string) // the values of the record, at with its zone; "" for a missing one
	View() string
	Body() string
}

// A kind is a row of the table.
type kind struct {
	name, version string
	detect        func(*jsontree.Value) bool
	// read reads a stored record. The error is a *handoff.DocumentError.
	read func(data []byte) (content, error)

	// build makes a new record.
	build    func(Options, []byte, screenedRecord) (content, error)
	input    func([]byte, handoff.Rules) packet.Input                // returns the input of a check
	validate func(data []byte, o universal.Options) universal.Report // nil for a kind with only a schema
	table    func() *fields.Table                                    // nil if New does not make the kind
	// make makes the JSON of a new record from flags. It can change the head.
	make    func(*Making) ([]byte, error)
	members map[string]string // by head field: the optional member of a record that provides it
}

// label returns the kind as info strings and reports write it.
func (k kind) label() string { return k.name + "/" + k.version }

// reading adapts the parser of one kind to the table.
func reading[T content](parse func([]byte) (T, error)) func([]byte) (content, error) {
	return func(data []byte) (content, error) { return parse(data) }
}

// Kinds returns the names of the structured kinds.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Detect returns the kind of a JSON value by its shape, or "".
func Detect(data []byte) string { return shapeOf(data).name }

// shapeOf returns the row for a JSON value by its shape, or an empty row.
func shapeOf(data []byte) kind {
	v, err := jsontree.Parse(data)
	k, _ := firstKind(func(k kind) bool { return err == nil && k.detect(v) })
	return k
}

// firstKind returns the first row for which is returns true, or false.
func firstKind(is func(kind) bool) (kind, bool) {
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return kinds[i], true
	}
	return kind{}, false
}

// kindOf returns the forced kind, or else the kind by shape.
func kindOf(data []byte, forced string) (kind, error) {
	names := strings.Join(Kinds(), ", ")
	if forced != "" {
		k, known := firstKind(func(k kind) bool { return k.name == forced })
		if !known {
			return k, invalid("use "+names, "unknown kind %q", forced)
		}
		return k, nil
	}
	if k := shapeOf(data); k.name != "" {
		return k, nil
	}
	if _, err := jsontree.Parse(data); err != nil {
		return kind{}, err
	}
	return kind{}, faulty(handoff.Fault{Problem: "the JSON has the shape of no kind of record", Hint: "add --kind: " +
		names})
}

// faulty returns an error of faults that have no place in a text.
func faulty(faults ...handoff.Fault) error { return &handoff.DocumentError{Faults: faults} }

// kindOfBlock returns the row of a record in a body, or false for an unknown kind or version.
func kindOfBlock(block Block) (kind, bool) {
	return firstKind(func(k kind) bool { return k.label() == block.Kind+"/"+block.Version })
}

// universal checks a record before it is stored, by its schema, size and semantics.
func (o Options) universal(data []byte, s screenedRecord) (content, error) {
	d, err := universal.Parse(data)
	if err != nil {
		return nil, err
	}
	if len(s.redacted) > 0 {
		d = d.Rehashed() // redaction changed the text; its hash was right before
	}
	report := d.Validate(universal.Options{Rules: o.Rules})
	err = report.Err()
	if err == nil && o.Warn != nil {
		for _, w := range report.Warnings {
			w.Line = 0 // the text may have been made here
			o.Warn(w.String())
		}
	}
	return d, err
}

// universalInput returns the facts of a record together with its faults.
func universalInput(data []byte, rules handoff.Rules) packet.Input {
	d, err := universal.Parse(data)
	if err != nil {
		return packet.Input{Err: err}
	}
	facts := d.Facts()
	facts.Faults = d.Validate(universal.Options{Rules: rules}).Faults
	return packet.Input{Facts: &facts}
}

// validateUniversal runs all three stages, including the tokens.
func validateUniversal(data []byte, o universal.Options) universal.Report {
	d, err := universal.Parse(data)
	if err != nil {
		return schemaReport(err)
	}
	return d.Validate(o)
}

// run completes a record, derives its self-audit and seals it. The audit uses the allowed findings of the scan,
// and the open items of earlier records.
func (o Options) run(data []byte, s screenedRecord) (content, error) {
	d := run.Defaults{ProjectID: o.Project, CreatedAt: o.Now}
	if o.Head.Time != "" {
		d.CreatedAt = func() string { return o.Head.Time }
	}
	draft, err := run.Parse(data, d)
	if err != nil {
		return nil, err
	}
	review := run.Review{Allowed: s.allowed}
	if o.Carried != nil {
		carried, err := o.Carried(draft.Record)
		if err != nil {
			return nil, err
		}
		review.Carried = carried.Assumptions
	}
	return draft.Seal(review)
}

// storedRun reads a sealed record. All its fields are there.
func storedRun(data []byte) (run.Record, error) {
	draft, err := run.Parse(data, run.Defaults{})
	return draft.Record, err
}

// runInput reads as much as it can of a record with faults.
func runInput(data []byte, _ handoff.Rules) packet.Input {
	facts, err := run.Inspect(data)
	return packet.Input{Facts: &facts, Err: err}
}

// schemaReport returns the report on a record without further stages.
func schemaReport(err error) universal.Report {
	r := universal.Report{Stage: universal.StageSchema, Faults: []handoff.Fault{}, Warnings: []handoff.Fault{}}
	if found, is := errors.AsType[*handoff.DocumentError](err); is {
		r.Faults = found.Faults
	}
	return r
}

// looksLikePacket reports whether a JSON value is more like a packet than another kind. It is an object with a
// resume token or most of the required fields, and without the roots of other kinds.
func looksLikePacket(v *jsontree.Value) bool {
	if v.Get("handoff") != nil || v.Get("schema_type") != nil {
		return false
	}
	missing := func(name string) bool { return v.Get(name) == nil }
	present := slices.DeleteFunc(packet.Required(), missing)
	return len(present) >= 5 || v.Get("resume_token") != nil
}

// looksLikeRun reports whether a JSON value is more like a run record than another kind.
func looksLikeRun(v *jsontree.Value) bool {
	return v.Get("resume_token") == nil && v.Get("task_id") != nil && v.Get("summary") != nil
}

// looksLikeUniversal reports whether a JSON value is more like a universal handoff than another kind. The wrapper
// can be missing, so that validation can report that.
func looksLikeUniversal(v *jsontree.Value) bool {
	return v.Get("handoff") != nil || v.Get("schema_type") != nil && v.Get("payload") != nil
}
