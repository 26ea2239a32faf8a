package command

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A fixed is the output of validate --fix as JSON.
type fixed struct {
	record.Validation
	Changes []string `json:"changes"`
	Output  string   `json:"output,omitempty"`
	Kept    []string `json:"kept,omitempty"` // files with moved and cut content
}

// toFix reads the document to repair.
func toFix(a *cli.App, f *validateFlags, name string) (got artifact, d *universal.Document, err error) {
	if f.Output != "" {
		if err := cli.CheckOutput(f.Output); err != nil {
			return got, nil, err
		}
	}
	if got, err = recordOf(a, name); err != nil {
		return got, nil, err
	}
	if kind := record.Detect(got.text); kind != "" && kind != universal.Kind {
		return got, nil, cli.Invalid("run `handoff validate`, and fix the faults yourself",
			"%s is a %s record; only universal handoffs can be repaired", got.name, kind)
	}
	d, err = universal.Parse(got.text)
	if broken, is := errors.AsType[*handoff.DocumentError](err); is {
		err = errors.Join(&handoff.DocumentError{Name: got.name, Faults: broken.Faults},
			ask(a, f, got, broken.Faults))
	}
	return got, d, err
}

// fix repairs a record. The result is written only if it is valid. What was moved or cut is written next to it.
func fix(a *cli.App, f *validateFlags, name string) error {
	got, d, err := toFix(a, f, name)
	if err != nil {
		return err
	}
	base, err := filepath.Abs(strings.TrimSuffix(f.Output, ".json"))
	if err != nil {
		return err
	}
	r := d.Repair(universal.RepairOptions{Options: options(a, got),
		SessionFile: filepath.ToSlash(base + ".session.json")})
	out := fixedOf(got, r)
	switch {
	case !out.Valid:
		err = errors.Join(unrepaired(got.name, r.Report), ask(a, f, got, r.Report.Faults))
	case f.Output == "" && (r.Session != nil || r.Cut != nil):
		return cli.Invalid("add -o FILE", "the repair moves or cuts text, which is written next to the output")
	case f.Output != "":
		err = out.write(f.Output, base, r)
	case !a.JSON:
		err = a.Print(string(r.Document.Bytes()))
	}
	return errors.Join(out.print(a), err)
}

// fixedOf returns what a repair gave.
func fixedOf(got artifact, r universal.Repair) fixed {
	out := fixed{Validation: record.Validation{Name: got.name, ID: got.id, Kind: universal.Kind + "/" +
		universal.Version, Valid: r.Report.Valid(), Report: r.Report}, Changes: append([]string{}, r.Changes...)}
	out.Faults, out.Warnings = fault.Bounded(out.Faults), fault.Bounded(out.Warnings)
	return out
}

// unrepaired returns the faults that a repair left as an error.
func unrepaired(name string, left universal.Report) error {
	return fault.New(fault.Class(left.Err()), "", "%s cannot be repaired; %s left:\n%s", name,
		handoff.Count(len(left.Faults), "fault"), strings.Join(left.FaultLines(), "\n"))
}

// print prints the result as JSON, or notes what was changed.
func (out *fixed) print(a *cli.App) error {
	if a.JSON {
		return a.PrintJSON(out)
	}
	for _, line := range append(fault.Lines(out.Changes, handoff.EscapeLine), out.WarningLines()...) {
		a.Note(line)
	}
	for _, path := range out.Kept {
		a.Note("moved or cut text is kept in " + path)
	}
	return nil
}

// write writes what was moved and cut, then the repaired record.
func (out *fixed) write(output, base string, r universal.Repair) error {
	for _, file := range []struct {
		path    string
		content []byte
	}{{base + ".session.json", r.Session}, {base + ".cut.json", r.Cut}, {output, r.Document.Bytes()}} {
		if file.content == nil {
			continue
		}
		err := writeFile(filepath.Dir(file.path), ".", filepath.Base(file.path), file.content)
		switch {
		case errors.Is(err, fs.ErrExist):
			return cli.Invalid("name a new file", "%s exists and is not overwritten", file.path)
		case err != nil:
			return fault.Config("name a file in a directory that you can write to with -o", "%v", err)
		case file.path != output:
			out.Kept = append(out.Kept, file.path)
		}
	}
	out.Output = output
	return nil
}

// ask prints the prompt for a model with --prompt.
func ask(a *cli.App, f *validateFlags, got artifact, faults []handoff.Fault) error {
	if !f.Prompt {
		return nil
	}
	_, err := io.WriteString(a.Stdout, universal.Prompt(got.text, faults, func(text string) string {
		framed, _ := handoff.Framed(handoff.Stored{Document: handoff.Document{Body: text}, Path: got.name},
			handoff.Frame{})
		return framed
	}))
	return err
}
