package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// kinds is the table of kinds, in the order in which the shape of a JSON value is compared with
// theirs. A new kind is a package whose records are contents, and a row here.
var kinds = []kind{
	{name: packet.Kind, version: packet.Version, detect: looksLikePacket, read: reading(storedPacket),
		build: Options.packet, input: packetInput, validate: validatePacket, table: packet.Table, make: newPacket,
		members: map[string]string{"from": "agent", "topic": "task"}},
	{name: universal.Kind, version: universal.Version, detect: looksLikeUniversal, read: reading(universal.Parse),
		build: Options.universal, input: universalInput, validate: validateUniversal, table: universal.Table, make: newUniversal},
	{name: run.Kind, version: run.Version, detect: looksLikeRun, read: reading(storedRun),
		build: Options.run, input: runInput, validate: validateRun},
}

// A content is a valid record of any kind.
type content interface {
	Head() (from, to, topic, at string) // names as the record has them and a time with its zone, "" for what it does not say
	View() string
	Body() (string, error)
	Facts() packet.Facts
}

// A kind is a row of the table.
type kind struct {
	name, version string
	detect        func(*jsontree.Value) bool
	read          func(data []byte) (content, error) // reads a record as it is stored; the error is a *handoff.DocumentError

	build    func(Options, []byte, screened) (content, error)                 // makes a new record
	input    func([]byte, handoff.Rules) packet.Input                         // what a check takes
	validate func(data []byte, o universal.Options) (universal.Report, error) // what validate finds
	table    func() *fields.Table                                             // of a kind that make makes
	make     func(*Making) ([]byte, error)                                    // makes the JSON of a new record of what was said; it may change the head
	members  map[string]string                                                // by field of the head, the member of a record that gives it but may be left out
}

// label is how info strings and reports call a kind.
func (k kind) label() string { return k.name + "/" + k.version }

// reading makes a parser of one kind fit the table.
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

// Detect returns the kind that a JSON value has by its shape, "" for none.
func Detect(data []byte) string { return shapeOf(data).name }

// shapeOf returns the row of the kind that a JSON value has by its shape, an empty one for none.
func shapeOf(data []byte) kind {
	v, err := jsontree.Parse(data)
	k, _ := firstKind(func(k kind) bool { return err == nil && k.detect(v) })
	return k
}

// firstKind returns the first row for which is is true, false for none.
func firstKind(is func(kind) bool) (kind, bool) {
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return kinds[i], true
	}
	return kind{}, false
}

// kindOf returns the forced kind or the one of the shape.
func kindOf(data []byte, forced string) (kind, error) {
	names := strings.Join(Kinds(), ", ")
	if forced != "" {
		k, known := firstKind(func(k kind) bool { return k.name == forced })
		if !known {
			return k, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("%q is not a kind of record", forced), Advice: "the kinds are " + names}
		}
		return k, nil
	}
	if k := shapeOf(data); k.name != "" {
		return k, nil
	}
	if _, err := jsontree.Parse(data); err != nil {
		return kind{}, err
	}
	return kind{}, faulty(handoff.Fault{Problem: "the JSON does not have the shape of any kind of record", Hint: "name the kind with --kind: " + names})
}

// faulty makes an error of faults that lie in no text of a kind.
func faulty(faults ...handoff.Fault) error { return &handoff.DocumentError{Faults: faults} }

// kindOfBlock returns the row of a record in a body, false for a kind or version that is not known.
func kindOfBlock(block Block) (kind, bool) {
	return firstKind(func(k kind) bool { return k.label() == block.Kind+"/"+block.Version })
}

// universal checks what is to be stored by its schema, its size and its semantics.
func (o Options) universal(data []byte, s screened) (content, error) {
	d, err := universal.Parse(data)
	if err != nil {
		return nil, err
	}
	if len(s.redacted) > 0 {
		d = d.Rehashed() // the hash was right before the redaction, or the record had been refused
	}
	report, err := d.Check(o.Rules)
	if err == nil {
		err = report.Err()
	}
	if err == nil && o.Warn != nil {
		for _, w := range report.Warnings {
			w.Line = 0 // of a text that may have been made here
			o.Warn(w.String())
		}
	}
	return d, err
}

// universalInput lets the check of packets see what is wrong with the record, beside what it says.
func universalInput(data []byte, rules handoff.Rules) packet.Input {
	d, err := universal.Parse(data)
	if err != nil {
		return packet.Input{Err: err}
	}
	report, err := d.Check(rules)
	if err != nil {
		return packet.Input{Err: err}
	}
	facts := d.Facts()
	facts.Faults = report.Faults
	return packet.Input{Facts: &facts}
}

// validateUniversal runs all three stages, with the tokens.
func validateUniversal(data []byte, o universal.Options) (universal.Report, error) {
	d, err := universal.Parse(data)
	if err != nil {
		return schemaReport(err), nil
	}
	return d.Validate(o)
}

// run completes the record, derives its self-audit and seals it. The audit needs to know what the scan
// let through, and what earlier records left open.
func (o Options) run(data []byte, s screened) (content, error) {
	d := run.Defaults{ProjectID: o.Project, CreatedAt: o.Now}
	if o.Head.Time != "" {
		d.CreatedAt = func() string { return o.Head.Time }
	}
	draft, err := run.Parse(data, d)
	if err != nil {
		return nil, err
	}
	review := run.Review{Scanned: true, Allowed: s.allowed}
	var carried run.Carried
	if o.Carried != nil {
		if carried, err = o.Carried(draft.Record); err != nil {
			return nil, err
		}
		review.Carried = run.Assumptions(carried.Assumptions)
	}
	r, err := draft.Seal(review)
	if err == nil && o.Warn != nil {
		for _, warning := range draft.Warnings(s.allowed, carried) {
			o.Warn(warning)
		}
	}
	return r, err
}

// storedRun reads a record that was sealed: it lacks nothing.
func storedRun(data []byte) (run.Record, error) {
	draft, err := run.Parse(data, run.Defaults{})
	return draft.Record, err
}

// runInput reads what can be read of a record with faults: also that says something about resuming.
func runInput(data []byte, _ handoff.Rules) packet.Input {
	facts, err := run.Inspect(data)
	return packet.Input{Facts: &facts, Err: err}
}

// validateRun does not miss what write fills in.
func validateRun(data []byte, _ universal.Options) (universal.Report, error) {
	_, err := run.Parse(data, run.Defaults{ProjectID: func() string { return "-" }, CreatedAt: func() string { return time.Unix(0, 0).UTC().Format(time.RFC3339) }})
	return schemaReport(err), nil
}

// schemaReport is the report on a record that has no stage after its schema.
func schemaReport(err error) universal.Report {
	r := universal.Report{Stage: universal.StageSchema, Faults: []handoff.Fault{}, Warnings: []handoff.Fault{}}
	if found := (*handoff.DocumentError)(nil); errors.As(err, &found) {
		r.Faults = found.Faults
	}
	return r
}

// looksLikePacket says whether a JSON value looks like a packet rather than another kind: an object with a resume
// token or with most of the required fields, and none of the roots of other kinds.
func looksLikePacket(v *jsontree.Value) bool {
	if v.Get("handoff") != nil || v.Get("schema_type") != nil {
		return false
	}
	missing := func(name string) bool { return v.Get(name) == nil }
	present := slices.DeleteFunc(packet.Required(), missing)
	return len(present) >= 5 || v.Get("resume_token") != nil
}

// looksLikeRun says whether a JSON value looks like a run record rather than another kind.
func looksLikeRun(v *jsontree.Value) bool {
	return v.Get("resume_token") == nil && v.Get("task_id") != nil && v.Get("summary") != nil
}

// looksLikeUniversal says whether a JSON value looks like a universal handoff. One that lacks the wrapper is taken
// for one too, so that its validation can say so.
func looksLikeUniversal(v *jsontree.Value) bool {
	return v.Get("handoff") != nil || v.Get("schema_type") != nil && v.Get("payload") != nil
}
