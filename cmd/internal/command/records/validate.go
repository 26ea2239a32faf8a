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

func validate(a *cli.App, f *validateFlags, names []string) error {
	if f.Fix {
		return repair(a, &f.repairFlags, names)
	}
	if f.areGiven() {
		return cli.Invalid("add --fix", "-o, --in-place, --prompt and --session-root need --fix")
	}
	return validateAll(a, names, f.Encoding)
}

// recordOf reads the record of an artifact.
func recordOf(a *cli.App, name string) (artifact, error) {
	got, err := read(a, nil, name)
	if err == nil {
		got.text, err = got.record()
	}
	return got, err
}

func options(a *cli.App, g artifact, encoding string) universal.Options {
	return universal.Options{Rules: schema.Universal(), Encoding: encoding, Exists: g.exists, Now: a.Now}
}

func validateAll(a *cli.App, names []string, encoding string) error {
	var all []record.Validation
	var errs []error
	for _, name := range names {
		v, err := validateOne(a, name, encoding)
		if err != nil && (v.Name == "" || len(names) == 1) && v.Stage == "" {
			return err
		}
		all, errs = append(all, v), append(errs, err)
	}
	if err := printValidations(a, all); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// validateOne validates one record. The error is its summary. A record that cannot be read has no stage.
func validateOne(a *cli.App, name, encoding string) (record.Validation, error) {
	got, err := recordOf(a, name)
	if err != nil {
		return record.Validation{Name: name, Report: universal.Report{Faults: []handoff.Fault{{Problem: err.Error()}},
			Warnings: []handoff.Fault{}}}, err
	}
	v, err := record.Validate(got.name, got.text, options(a, got, encoding))
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
func printValidations(a *cli.App, all []record.Validation) error {
	bounded := slices.Clone(all)
	for i := range bounded {
		bounded[i].Report = boundedReport(all[i].Report)
	}
	return cli.Lines(a, bounded, func() string {
		var b strings.Builder
		for _, v := range all {
			b.WriteString(v.Text())
		}
		return b.String()
	})
}
