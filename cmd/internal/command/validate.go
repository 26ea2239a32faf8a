package command

import (
	"errors"
	"fmt"
	"io/fs"
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
	Hash     string          `json:"payload_hash,omitempty"`
	Mismatch bool            `json:"mismatch"`

	Changes []string `json:"changes,omitzero"` // of a repair
	Output  string   `json:"output,omitempty"`
	Kept    []string `json:"kept,omitempty"` // files with moved and cut content

	all []handoff.Fault // of the stage
}

// validated returns the result for a record.
func (g artifact) validated(r kinds.Record) validation {
	return validation{Name: g.name, ID: g.id, Kind: r.Label(), Valid: len(r.Faults) == 0, Stage: r.Stage,
		Faults:   append([]handoff.Fault{}, fault.Bounded(r.Faults)...),
		Warnings: append([]handoff.Fault{}, fault.Bounded(r.Warnings)...), Tokens: r.Tokens, Hash: r.Hash,
		Mismatch: r.Mismatch, all: r.Faults}
}

// text returns the result for people.
func (v validation) text() string {
	verdict := "INVALID"
	switch {
	case v.Valid:
		verdict = "VALID"
	case v.Kind == "":
		verdict = "UNREADABLE"
	case v.Mismatch && len(v.Faults) == 1:
		verdict = "HASH MISMATCH"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", handoff.EscapeLine(v.Name), verdict)
	if v.Kind != "" {
		b.WriteString(" (" + v.Kind + ")")
	}
	b.WriteString("\n")
	if v.Tokens > 0 {
		fmt.Fprintf(&b, "  tokens: %d of %d\n", v.Tokens, kinds.TokenBudget)
	}
	for _, line := range fault.Lines(v.all, fault.Fault.String) {
		b.WriteString("  fault: " + handoff.EscapeLine(line) + "\n")
	}
	for _, line := range fault.Lines(v.Warnings, fault.Fault.String) {
		b.WriteString("  warning: " + handoff.EscapeLine(line) + "\n")
	}
	return b.String()
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
		var v validation
		if err == nil {
			var r kinds.Record
			if r, err = got.validate(a); r.Kind != nil {
				v = got.validated(r)
			}
		}
		if faults, is := errors.AsType[*handoff.DocumentError](err); is && v.Kind == "" {
			v = validation{Name: got.name, ID: got.id, Stage: "schema", Faults: faults.Faults, all: faults.Faults,
				Warnings: []handoff.Fault{}}
		} else if err != nil && v.Kind == "" {
			return err
		}
		if err != nil {
			what := handoff.Count(len(v.all), "fault") + " at the stage " + v.Stage
			if errors.Is(err, handoff.ErrIntegrity) {
				what = "the payload does not match its hash"
			}
			err = fault.New(fault.Class(err), "", "%s is not valid: %s", v.Name, what)
		}
		all, errs = append(all, v), append(errs, err)
	}
	err := cli.Lines(a, all, func() (text string) {
		for _, v := range all {
			text += v.text()
		}
		return text
	})
	return errors.Join(err, errors.Join(errs...))
}

// validate runs all stages of a record's kind. A record of no known shape counts as a universal handoff. A record
// without the fields that write fills in is valid.
func (g artifact) validate(a *cli.App) (kinds.Record, error) {
	given := kinds.Given{Me: "-", Project: "-", Now: a.UTCNow(), Exists: g.exists}
	text := g.json()
	if shape, _ := kinds.Shape(text); shape == "" {
		given.Kind = kinds.Universal
	}
	r, err := kinds.Read(text, given)
	if err == nil {
		err = r.Err()
	}
	return r, err
}

// fix repairs a record. The result is written only if it is valid. What was moved or cut is written next to it.
func fix(a *cli.App, f *validateFlags, name string) error {
	var err error
	if f.Output != "" {
		err = handoff.CheckLinks(f.Output)
	}
	var got artifact
	if err == nil {
		got, err = readArtifact(a, nil, name)
	}
	if err != nil {
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
	given := kinds.Given{Kind: kinds.Universal, Now: a.UTCNow(), Exists: got.exists}
	p := r.Fix(given, filepath.ToSlash(base+".session.json"))
	out := got.validated(p.Record)
	out.Changes = append([]string{}, p.Changes...)
	switch {
	case !out.Valid:
		err = errors.Join(fault.New(fault.Class(p.Err()), "", "%s cannot be repaired; %s left:\n%s", got.name,
			handoff.Count(len(p.Faults), "fault"), strings.Join(fault.Lines(p.Faults, fault.Fault.String), "\n")),
			f.ask(a, got, p.Faults))
	case f.Output == "" && (p.Session != nil || len(p.Cut.Members) > 0):
		return cli.Invalid("add -o FILE", "the repair moves or cuts text, which is written next to the output")
	case f.Output != "":
		err = out.write(f.Output, base, p)
	case !a.JSON:
		err = a.Print(string(p.JSON()) + "\n")
	}
	return errors.Join(out.report(a), err)
}

// report prints the result of a repair as JSON, or notes what was changed.
func (v validation) report(a *cli.App) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	for _, line := range append(fault.Lines(v.Changes, strings.TrimSpace), fault.Lines(v.Warnings,
		fault.Fault.String)...) {
		a.Note(line)
	}
	for _, path := range v.Kept {
		a.Note("moved or cut text is kept in " + path)
	}
	return nil
}

// write writes what was moved and cut, then the repaired record.
func (out *validation) write(output, base string, p kinds.Repair) error {
	type file struct {
		path    string
		content *kinds.Tree
	}
	files := []file{{output, p.Root}}
	if len(p.Cut.Members) > 0 {
		files = append([]file{{base + ".cut.json", p.Cut}}, files...)
	}
	if p.Session != nil {
		files = append([]file{{base + ".session.json", p.Session}}, files...)
	}
	for _, f := range files {
		err := writeFile(filepath.Dir(f.path), ".", filepath.Base(f.path), append(f.content.Indent(), '\n'))
		switch {
		case errors.Is(err, fs.ErrExist):
			return cli.Invalid("name a new file", "%s exists and is not overwritten", f.path)
		case err != nil:
			return fault.Config("name a file in a directory that you can write to with -o", "%v", err)
		case f.path != output:
			out.Kept = append(out.Kept, f.path)
		}
	}
	out.Output = output
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
