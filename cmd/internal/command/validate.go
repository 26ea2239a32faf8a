package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

type validateFlags struct {
	Fix    bool
	Output string
	Prompt bool
}

func validateCommand(a *cli.App) *cobra.Command {
	f := &validateFlags{}
	cmd := &cobra.Command{
		Use:   "validate FILE|ID|-…",
		Short: "Find the faults of a universal handoff",
		Long: `Find the faults of universal handoffs (version 3.0), in three stages: schema,
token budget, semantics. Each fault has its place, its JSON pointer and its
fix. A stage with faults ends the validation. Warnings do not make a record
invalid. Packets and run records are checked against their schema. A token is
four characters of the compact JSON.

--fix repairs one universal handoff, in up to three attempts: defaults and
types; compression to the token budget; the working context only. It guesses
nothing. Only a valid result is written. What is moved or cut is written next
to the output, as FILE.session.json and FILE.cut.json.

A document of another version is not repaired. Convert it to 3.0 yourself. Put
everything below the one key "handoff":
  the skill that hands over, its run, phase,   source.skill, workflow_id, phase,
  directory                                    session_path
  the next skill, and how to start it          target.skill, target.invocation
  the current state, at most 500 characters    context.summary
  the kind of work                             context.problem_type
  open questions                               context.known_gaps
  what the next skill needs                    payload.working
  new files, state of the session              payload.session.artifacts,
                                               payload.session.state
  files and pages to read                      payload.references.files,
                                               payload.references.urls
  the skills so far, oldest first              meta.handoff_chain

Exit codes: 0 valid, 2 invalid, 6 the payload does not match its hash.`,
		Example: `  handoff validate handoff.json
  handoff validate --fix -o repaired.json handoff.json
  handoff validate --fix --prompt handoff.json | model`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDsAndFiles,
		RunE:              func(_ *cobra.Command, args []string) error { return validate(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Fix, "fix", false, "repair what can be repaired")
	flags.StringVarP(&f.Output, "output", "o", "", "write the repaired record to this new `file` (default "+
		"standard output)")
	flags.BoolVar(&f.Prompt, "prompt", false, "if the repair fails, print a prompt for a model")
	cli.Needs(cmd, "output", "fix")
	cli.Needs(cmd, "prompt", "fix")
	return cmd
}

func validate(a *cli.App, f *validateFlags, names []string) error {
	switch {
	case f.Fix && len(names) > 1:
		return cli.Invalid("repair one at a time", "%d records, but one output", len(names))
	case f.Fix:
		return fix(a, f, names[0])
	}
	return validateAll(a, names)
}

// recordOf reads the record of an artifact.
func recordOf(a *cli.App, name string) (artifact, error) {
	got, err := readArtifact(a, nil, name)
	if err == nil {
		got.text, err = got.record()
	}
	return got, err
}

func options(a *cli.App, g artifact) universal.Options {
	return universal.Options{Rules: schema.Universal(), Exists: g.exists, Now: a.Now}
}

func validateAll(a *cli.App, names []string) error {
	var all []record.Validation
	var errs []error
	for _, name := range names {
		v, err := validateOne(a, name)
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
func validateOne(a *cli.App, name string) (record.Validation, error) {
	got, err := recordOf(a, name)
	if err != nil {
		return record.Validation{Name: name, Report: universal.Report{Faults: []handoff.Fault{{Problem: err.Error()}},
			Warnings: []handoff.Fault{}}}, err
	}
	v := record.Validate(got.name, got.text, options(a, got))
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
		bounded[i].Faults, bounded[i].Warnings = fault.Bounded(all[i].Faults), fault.Bounded(all[i].Warnings)
	}
	return cli.Lines(a, bounded, func() string {
		var b strings.Builder
		for _, v := range all {
			b.WriteString(v.Text())
		}
		return b.String()
	})
}
