package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// Options say how a record becomes a handoff. The functions may be nil; they are called when they are needed, also from several
// goroutines at once.
type Options struct {
	Kind  string        // one of Kinds; "" for the one that the shape of the record says
	Head  Head          // what overrides and completes what the record says
	Rules handoff.Rules // of universal records: schema.Universal()

	Redact bool     // replace credentials in the record instead of refusing it
	Allow  []string // rules of the secret scan whose findings are let through

	// For run records: the project of one that names none, the time of one that has none (RFC 3339 with Z, in place of
	// Head.Time), and the assumptions that earlier records of its project carry into it, see Carried.
	Project func() string
	Now     func() string
	Carried func(into run.Record) ([]run.Assumption, error)
}

// Source returns the source that stores a record, which is JSON of any kind. name is what messages call it.
func Source(name string, data []byte, o Options) handoff.Source {
	return handoff.Source{Name: name, Make: func() (handoff.Made, error) {
		made, err := o.make(data)
		return made, named(name, err)
	}}
}

// RunSource returns the source that seals and stores a run record. Faults are told by pointer alone: the
// draft has no lines.
func RunSource(name string, d run.Draft, o Options) handoff.Source {
	o.Kind = run.Kind
	return handoff.Source{Name: name, Make: func() (handoff.Made, error) {
		made, err := o.make(d.JSON())
		var invalid *handoff.DocumentError
		if errors.As(err, &invalid) {
			for i := range invalid.Faults {
				invalid.Faults[i].Line, invalid.Faults[i].Column = 0, 0
			}
		}
		return made, named(name, err)
	}}
}

// named gives an error about a record the name of the record.
func named(name string, err error) error {
	var faults *handoff.DocumentError
	var other *handoff.Error
	switch {
	case errors.As(err, &faults):
		return &handoff.DocumentError{Name: name, Faults: faults.Faults}
	case errors.As(err, &other) && name != "":
		return &handoff.Error{Class: other.Class, Problem: name + ": " + other.Problem, Advice: other.Advice, Cause: other.Cause}
	}
	return err
}

// make validates a record, looks for credentials in it, and builds the handoff: faults are told with their places in data.
func (o Options) make(data []byte) (handoff.Made, error) {
	kind, err := kindOf(data, o.Kind)
	if err != nil {
		return handoff.Made{}, err
	}
	build := map[string]func([]byte, screened) (Head, string, error){
		packet.Kind: o.packet, universal.Kind: o.universal, run.Kind: o.run,
	}[kind]
	clean, err := o.screen(data)
	if err != nil {
		return handoff.Made{}, err
	}
	if len(clean.redacted) > 0 { // a redaction moves places and hides a hash that is wrong
		if _, _, err := build(data, screened{allowed: clean.allowed}); err != nil {
			return handoff.Made{}, err
		}
	}
	head, body, err := build(clean.data, clean)
	if err != nil {
		return handoff.Made{}, err
	}
	doc, err := o.document(kind, head, body)
	return handoff.Made{Document: doc, Redacted: clean.redacted}, err
}

func (o Options) packet(data []byte, _ screened) (Head, string, error) {
	r, err := packet.Parse(data)
	if err != nil {
		return Head{}, "", err
	}
	body, err := r.Body()
	return packetHead(r), body, err
}

func (o Options) universal(data []byte, s screened) (Head, string, error) {
	d, err := universal.Parse(data)
	if err != nil {
		return Head{}, "", err
	}
	if len(s.redacted) > 0 {
		d = d.Rehashed() // the hash was right before the redaction, or the record had been refused
	}
	report, err := d.Check(o.Rules)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return Head{}, "", err
	}
	body, err := d.Body()
	return universalHead(d), body, err
}

func (o Options) run(data []byte, s screened) (Head, string, error) {
	draft, err := run.Parse(data, o.defaults(data))
	if err != nil {
		return Head{}, "", err
	}
	review := run.Review{Scanned: true, Allowed: s.allowed}
	if o.Carried != nil {
		if review.Carried, err = o.Carried(draft.Record); err != nil {
			return Head{}, "", err
		}
	}
	r, err := draft.Seal(review)
	if err != nil {
		return Head{}, "", err
	}
	body, err := r.Body()
	return runHead(r), body, err
}

// defaults returns what a run record leaves out, as far as it does.
func (o Options) defaults(data []byte) (d run.Defaults) {
	v, err := jsontree.Parse(data)
	if err != nil {
		return d
	}
	absent := func(name string) bool { return v.Get(name) == nil || v.Get(name).Kind == jsontree.Null }
	if absent("project_id") && o.Project != nil {
		d.ProjectID = o.Project()
	}
	if d.CreatedAt = o.Head.Time; d.CreatedAt == "" && absent("created_at") && o.Now != nil {
		d.CreatedAt = o.Now()
	}
	return d
}
