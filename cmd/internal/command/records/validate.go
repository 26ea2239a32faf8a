package records

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

type validateFlags struct {
	repairFlags
	Fix bool
}

func (a *app) validate(f *validateFlags, names []string) error {
	if f.Fix {
		return a.repair(&f.repairFlags, names)
	}
	if f.areGiven() {
		return cli.Invalid("add --fix", "-o, --in-place, --prompt and --session-root need --fix")
	}
	return a.validateAll(names, f.Encoding)
}

// recordOf reads the record of an artifact.
func (a *app) recordOf(name string) (artifact, error) {
	got, err := a.read(nil, name)
	if err == nil {
		got.text, err = got.record()
	}
	return got, err
}

func (a *app) options(g artifact, encoding string) universal.Options {
	return universal.Options{Rules: schema.Universal(), Encoding: encoding, Exists: g.exists, Now: a.Now}
}

func (a *app) validateAll(names []string, encoding string) error {
	var all []record.Validation
	var errs []error
	for _, name := range names {
		v, err := a.validateOne(name, encoding)
		if err != nil && (v.Name == "" || len(names) == 1) && v.Stage == "" {
			return err
		}
		all, errs = append(all, v), append(errs, err)
	}
	if err := a.printValidations(all); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// validateOne validates one record. The error is its summary. A record that cannot be read has no stage.
func (a *app) validateOne(name, encoding string) (record.Validation, error) {
	got, err := a.recordOf(name)
	if err != nil {
		return record.Validation{Name: name, Report: universal.Report{Faults: []handoff.Fault{{Problem: err.Error()}},
			Warnings: []handoff.Fault{}}}, err
	}
	v, err := record.Validate(got.name, got.text, a.options(got, encoding))
	if err != nil {
		return record.Validation{}, err // bad options
	}
	v.ID = got.id
	return v, faultsIn(v)
}

// faultsIn returns the summary of the faults as an error, nil if there are none.
func faultsIn(v record.Validation) error {
	err := v.Err()
	if err == nil {
		return nil
	}
	what := handoff.Count(len(v.Faults), "fault") + " at the stage " + v.Stage
	if errors.Is(err, handoff.ErrIntegrity) {
		what = "the payload does not match its hash"
	}
	return fault.New(fault.Class(err), "", "%s is not valid: %s", v.Name, what)
}

// printValidations prints the results as text, or as JSON a line each.
func (a *app) printValidations(all []record.Validation) error {
	bounded := slices.Clone(all)
	for i := range bounded {
		bounded[i].Report = boundedReport(all[i].Report)
	}
	return cli.Lines(a.App, bounded, func() string {
		var b strings.Builder
		for _, v := range all {
			b.WriteString(v.Text())
		}
		return b.String()
	})
}
