package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Options say how a record becomes a handoff. The functions may be nil; they are called when they are
// needed, also from several goroutines at once.
type Options struct {
	Kind  string           // one of Kinds; "" for the one that the shape of the record says
	Head  handoff.Document // what overrides and completes what the record says; its body does not count
	Rules handoff.Rules    // of universal records: schema.Universal()

	AllowEmpty []string // fields of a packet that may be empty

	Redact bool     // replace credentials in the record instead of refusing it
	Allow  []string // rules of the secret scan whose findings are let through

	// For run records: the project of one that names none, the time of one that has none (RFC 3339
	// with Z, in place of Head.Time), what earlier records of its project carry into it, see Carried,
	// and who is told what it leaves undone.
	Project func() string
	Now     func() string
	Carried func(into run.Record) (run.Carried, error)
	Warn    func(text string)
}

// Source returns the source that stores a record, which is JSON of any kind. name is what messages call it.
func Source(name string, data []byte, o Options) handoff.Source {
	if warn := o.Warn; warn != nil && name != "" {
		o.Warn = func(text string) { warn(name + ": " + text) }
	}
	return handoff.Source{Name: name, Make: func() (handoff.Made, error) {
		made, err := o.make(data)
		return made, named(name, err)
	}}
}

// RunSource returns the source that seals and stores a run record. Faults are told by pointer alone: the
// draft has no lines.
func RunSource(name string, d run.Draft, o Options) handoff.Source {
	o.Kind = run.Kind
	return unplaced(Source(name, d.JSON(), o))
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

// make validates a record, looks for credentials in it, and builds the handoff: faults are told with
// their places in data.
func (o Options) make(data []byte) (handoff.Made, error) {
	if err := checkAllowed(o.AllowEmpty); err != nil {
		return handoff.Made{}, err
	}
	k, err := kindOf(data, o.Kind)
	if err != nil {
		return handoff.Made{}, err
	}
	clean, err := o.screen(data)
	if err != nil {
		return handoff.Made{}, err
	}
	// A record is judged as it was given: faults are told with the places of the given text.
	if len(clean.redacted) > 0 { // a redaction moves places and hides a hash that is wrong
		first := o
		first.Warn = nil
		if _, err := k.build(first, data, screened{allowed: clean.allowed}); err != nil {
			return handoff.Made{}, err
		}
	}
	c, err := k.build(o, clean.data, clean)
	if err != nil {
		return handoff.Made{}, err
	}
	doc, err := o.document(k, c)
	return handoff.Made{Document: doc, Redacted: clean.redacted}, err
}
