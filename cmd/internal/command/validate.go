package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
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
		Short: "Find the faults of a record, or fix a universal handoff",
		Long: `Find the faults of records. Universal handoffs (version 3.0) pass three stages:
schema, token budget, semantics. Each fault has its place, its field and
its fix. A stage with faults is the last one. Warnings do not make a record
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
  the skills so far, the newest first          meta.handoff_chain

Exit codes: 0 valid, 2 invalid, 6 the payload does not match its hash.`,
		Example: `  handoff validate handoff.json
  handoff validate --fix -o repaired.json handoff.json
  handoff validate --fix --prompt handoff.json | model`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return validate(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Fix, "fix", false, "repair what can be repaired")
	flags.StringVarP(&f.Output, "output", "o", "",
		"write the repaired record to this new `file` (default standard output)")
	flags.BoolVar(&f.Prompt, "prompt", false, "if the repair fails, print a prompt for a model")
	cli.Needs(cmd, "output", "fix")
	cli.Needs(cmd, "prompt", "fix")
	return cmd
}

// A validation is the result of validating one record.
type validation struct {
	Name     string          `json:"name"`
	ID       string          `json:"handoff_id,omitempty"`
	Kind     string          `json:"kind"` // such as universal/3.0, "" for a text that is not JSON
	Valid    bool            `json:"valid"`
	Stage    string          `json:"stage"`
	Faults   []handoff.Fault `json:"faults"`
	Warnings []handoff.Fault `json:"warnings"`
	Tokens   int             `json:"tokens,omitempty"`
}

// validated returns the result for a record, without a kind for a text that is not JSON.
func (g artifact) validated(r kinds.Record) validation {
	v := validation{Name: g.name, ID: g.id, Valid: len(r.Faults) == 0, Stage: cmp.Or(r.Stage, "schema"),
		Faults: append([]handoff.Fault{}, r.Faults...), Warnings: append([]handoff.Fault{}, r.Warnings...),
		Tokens: r.Tokens}
	if r.Kind != nil {
		v.Kind = r.Label()
	}
	return v
}

// text returns the result for people.
func (v validation) text() string {
	text := handoff.EscapeLine(v.Name) + map[bool]string{true: ": VALID", false: ": INVALID"}[v.Valid]
	if v.Kind != "" {
		text += " (" + v.Kind + ")"
	}
	if v.Tokens > 0 {
		text += fmt.Sprintf("\n  tokens: %d of %d", v.Tokens, kinds.TokenBudget)
	}
	for _, line := range fault.Lines(v.Faults, fault.Fault.String) {
		text += "\n  fault: " + handoff.EscapeLine(line)
	}
	for _, line := range fault.Lines(v.Warnings, fault.Fault.String) {
		text += "\n  warning: " + handoff.EscapeLine(line)
	}
	return text + "\n"
}

func validate(a *cli.App, f *validateFlags, names []string) error {
	switch {
	case f.Fix && len(names) > 1:
		return cli.Invalid("repair one at a time", "%d records, but one output", len(names))
	case f.Fix:
		return fix(a, f, names[0])
	}
	var all []validation
	var errs []error
	for _, name := range names {
		got, err := readArtifact(a, nil, name)
		var r kinds.Record
		if err == nil {
			r, err = got.validate(a)
		}
		if broken, is := errors.AsType[*handoff.DocumentError](err); is {
			r.Faults = broken.Faults
		} else if err != nil && r.Kind == nil {
			return err
		}
		v := got.validated(r)
		if err != nil {
			errs = append(errs, fault.New(fault.Class(err), "", "%s is not valid: %s at the stage %s", v.Name,
				handoff.Count(len(r.Faults), "fault"), v.Stage))
		}
		all = append(all, v)
	}
	err := cli.Lines(a, all, func() (text string) {
		for _, v := range all {
			text += v.text()
		}
		return text
	})
	return errors.Join(append([]error{err}, errs...)...)
}

// validate runs all stages of a record's kind. A record of no known shape counts as a universal handoff. A record
// without the fields that write fills in is valid.
func (g artifact) validate(a *cli.App) (kinds.Record, error) {
	r, err := g.read(kinds.Given{Kind: kinds.Universal, Me: "-", Project: "-", Now: a.UTCNow(), Exists: g.exists})
	return r, cmp.Or(err, r.Err())
}

// fix repairs a record. The result is written only if it is valid.
func fix(a *cli.App, f *validateFlags, name string) error {
	got, err := readArtifact(a, nil, name)
	if err = cmp.Or(handoff.CheckLinks(f.Output), err); err != nil {
		return err
	}
	r, err := got.validate(a)
	if broken, is := errors.AsType[*handoff.DocumentError](err); is && r.Root == nil {
		return errors.Join(&handoff.DocumentError{Name: got.name, Faults: broken.Faults}, f.ask(a, got, broken.Faults))
	}
	if r.Name != kinds.Universal {
		return cli.Invalid("run `handoff validate`, and fix the faults yourself",
			"%s is a %s record; only universal handoffs can be repaired", got.name, r.Name)
	}
	base, err := filepath.Abs(strings.TrimSuffix(f.Output, ".json"))
	if err != nil {
		return err
	}
	p := r.Fix(kinds.Given{Kind: kinds.Universal, Now: a.UTCNow(), Exists: got.exists},
		filepath.ToSlash(base+sessionEnd))
	for _, line := range append(fault.Lines(p.Changes, strings.Clone), fault.Lines(p.Warnings,
		fault.Fault.String)...) {
		a.Note(line)
	}
	if len(p.Faults) > 0 {
		err = errors.Join(fault.New(fault.Class(p.Err()), "", "%s cannot be repaired; %s left:\n%s", got.name,
			handoff.Count(len(p.Faults), "fault"), strings.Join(fault.Lines(p.Faults, fault.Fault.String), "\n")),
			f.ask(a, got, p.Faults))
	} else {
		err = f.write(a, base, p)
	}
	if a.JSON {
		err = errors.Join(a.PrintJSON(got.validated(p.Record)), err)
	}
	return err
}

const sessionEnd = ".session.json" // of the file for what a repair has moved

// write writes a valid result, after what was moved and cut.
func (f *validateFlags) write(a *cli.App, base string, p kinds.Repair) error {
	switch {
	case f.Output == "" && (p.Session != nil || len(p.Cut.Members) > 0):
		return cli.Invalid("add -o FILE", "the repair moves or cuts text, which is written next to the output")
	case f.Output == "" && a.JSON:
		return nil
	case f.Output == "":
		return a.Print(string(p.JSON()) + "\n")
	}
	for _, file := range []struct {
		path    string
		content *kinds.Tree
	}{{base + sessionEnd, p.Session}, {base + ".cut.json", p.Cut}, {f.Output, p.Root}} {
		if file.content == nil || len(file.content.Members) == 0 {
			continue
		}
		if err := cli.WriteNew(file.path, append(file.content.Indent(), '\n')); err != nil {
			return err
		}
		if file.path != f.Output {
			a.Note("moved or cut text is kept in " + file.path)
		}
	}
	return nil
}

// ask prints the prompt for a model with --prompt.
func (f *validateFlags) ask(a *cli.App, got artifact, faults []handoff.Fault) error {
	if !f.Prompt {
		return nil
	}
	return a.Print(kinds.Prompt(got.json(), faults, func(text string) string {
		framed, _ := handoff.Framed(handoff.Stored{Document: handoff.Document{Body: text}, Path: got.name},
			handoff.Frame{})
		return framed
	}))
}
