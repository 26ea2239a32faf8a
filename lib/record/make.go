package record

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/run"
)

// Options control how a record becomes a handoff. The functions can be nil. They are called on demand, from
// several goroutines at once.
type Options struct {
	Kind  string           // one of Kinds; "": by the shape of the record
	Head  handoff.Document // overrides and completes the record; its body is ignored
	Rules handoff.Rules    // for universal records: schema.Universal()

	AllowEmpty []string // fields of a packet that can be empty

	Redact bool     // replace credentials in the record instead of refusing it
	Allow  []string // rules of the secret scan whose findings are allowed

	// For run records. Project and Now complete a record without project or time (RFC 3339 with Z, instead of
	// Head.Time). Carried returns what earlier records of the project left open. Warn receives warnings.
	Project func() string
	Now     func() string
	Carried func(into run.Record) (run.Carried, error)
	Warn    func(text string)
}

// Source returns the source that stores a record, JSON of any kind. Messages call it name.
func Source(name string, data []byte, o Options) handoff.Source {
	if warn := o.Warn; warn != nil && name != "" {
		o.Warn = func(text string) { warn(name + ": " + text) }
	}
	return handoff.Source{Name: name, Make: func() (handoff.Made, error) {
		made, err := o.make(data)
		return made, withName(name, err)
	}}
}

// RunSource returns the source that seals and stores a run record. Faults have pointers only, since the draft has
// no lines.
func RunSource(d run.Draft, o Options) handoff.Source {
	o.Kind = run.Kind
	return unplaced(d.JSON(), o)
}

// withName adds the name of a record to an error.
func withName(name string, err error) error {
	var faults *handoff.DocumentError
	var other *handoff.Error
	switch {
	case errors.As(err, &faults):
		return &handoff.DocumentError{Name: name, Faults: faults.Faults}
	case errors.As(err, &other) && name != "":
		return &handoff.Error{Class: other.Class, Problem: name + ": " + other.Problem, Advice: other.Advice,
			Cause: other.Cause}
	}
	return err
}

// make validates a record, scans it for credentials, and builds the handoff. Faults have their places in data.
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
	// The given text is validated, so that faults have its places.
	if len(clean.redacted) > 0 { // redaction moves places and hides a wrong hash
		first := o
		first.Warn = nil
		if _, err := k.build(first, data, screenedRecord{allowed: clean.allowed}); err != nil {
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
