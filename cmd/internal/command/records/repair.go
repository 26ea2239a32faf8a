package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

type repairFlags struct {
	Encoding    string
	Output      string `flag:",o" not:"in-place"`
	InPlace     bool
	Prompt      bool
	SessionRoot string
}

func (m repairFlags) areGiven() bool {
	return m.Output != "" || m.SessionRoot != "" || m.InPlace || m.Prompt
}

func repair(a *cli.App, m *repairFlags, names []string) error {
	if len(names) > 1 && !m.InPlace {
		return cli.Invalid("repair one at a time, or use --in-place", "%d records, but one output", len(names))
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, repairOne(a, name, *m))
	}
	return errors.Join(errs...)
}

// A repairing is the repair of one record.
type repairing struct {
	repairFlags
	*cli.App
	artifact
	options universal.RepairOptions
	result  universal.Repair
	kept    []string // paths of the files with removed text
	output  string   // "" for standard output
	backup  string
}

func repairOne(a *cli.App, name string, m repairFlags) error {
	for _, path := range []string{m.Output, m.SessionRoot} {
		if err := cli.CheckOutput(path); path != "" && err != nil {
			return err
		}
	}
	got, err := recordOf(a, name)
	if err != nil {
		return err
	}
	if m.InPlace && !got.isFile {
		return cli.Invalid("use -o FILE", "%s cannot be replaced: it is not a file with only a record", got.name)
	}
	if kind := record.Detect(got.text); kind != "" && kind != universal.Kind {
		return cli.Invalid("run `handoff record validate`, and fix the faults yourself",
			"%s is a %s record; only universal handoffs can be repaired", got.name, kind)
	}
	if m.InPlace {
		if err := cli.CheckOutput(filepath.Dir(got.name)); err != nil {
			return err
		}
	}
	r := &repairing{repairFlags: m, App: a, artifact: got, options: universal.RepairOptions{
		Options: options(a, got, m.Encoding), TraceID: universal.NewID()}}
	now := a.Now()
	r.options.Now = func() time.Time { return now } // one time for every attempt
	return r.run()
}

func (r *repairing) run() error {
	d, err := universal.Parse(r.text)
	var faults *handoff.DocumentError
	if errors.As(err, &faults) {
		return errors.Join(&handoff.DocumentError{Name: r.artifact.name, Faults: faults.Faults}, r.ask(faults.Faults))
	}
	if err := r.repairDocument(d); err != nil {
		return err
	}
	if !r.result.OK() {
		return r.failed()
	}
	if err := r.write(); err != nil {
		return err
	}
	if r.id != "" {
		report := r.result.Report
		audit(r.App, handoff.Validation{HandoffID: r.id, Kind: universal.Kind + "/" + universal.Version,
			Valid: report.Valid(), Stage: report.Stage,
			Faults: len(report.Faults), Warnings: len(report.Warnings), Changes: len(r.result.Patch())})
	}
	return r.report()
}

// audit records the result of a repair of a stored handoff in the audit log, or notes that it could not.
func audit(a *cli.App, v handoff.Validation) {
	s, err := a.Store()
	if err != nil || !s.AuditLog().RecordValidation(context.Background(), v) {
		a.Note("this repair is not in the audit log, which is busy or cannot be written")
	}
}

// repairDocument repairs the document and writes the removed text first. If that fails, or the files of another repair
// have the same names, the text goes to a new directory: next to the output, otherwise in the directory of temporary
// files.
func (r *repairing) repairDocument(d *universal.Document) (err error) {
	root, dir, outside := r.destination(d)
	if r.result, err = d.Repair(r.options); err != nil || len(r.result.Moved) == 0 {
		return err
	}
	if outside != nil {
		return outside
	}
	if err := cli.CheckOutput(r.place()); err != nil {
		return err
	}
	err = r.keep(root, dir)
	for _, parent := range []string{r.place(), ""} {
		if err == nil {
			break
		}
		made, madeErr := os.MkdirTemp(parent, "handoff-kept-")
		if madeErr != nil {
			continue
		}
		r.Note(fmt.Sprintf("warning: %v; using the fallback location %s", err, made))
		if r.options.SessionDir, err = filepath.Abs(made); err != nil {
			return err
		}
		if r.result, err = d.Repair(r.options); err == nil {
			err = r.keep(made, ".")
		}
	}
	return err
}

// destination returns the directory for removed text: that of the output, or that of the session.
func (r *repairing) destination(d *universal.Document) (root, dir string, err error) {
	if r.SessionRoot == "" {
		// Absolute, since the reader of the record may be in another directory.
		r.options.SessionDir, err = filepath.Abs(r.place())
		return r.place(), ".", err
	}
	if root, err = filepath.Abs(r.SessionRoot); err == nil {
		dir, err = d.SessionDir(root)
	}
	r.options.SessionDir = filepath.Join(root, dir)
	return root, dir, err
}

// keep writes the removed text.
func (r *repairing) keep(root, dir string) error {
	r.kept = nil
	for _, f := range r.result.Moved {
		r.kept = append(r.kept, filepath.Join(root, dir, f.Name))
	}
	return writeFiles(root, dir, r.result.Moved...)
}

// place returns the directory of the output, or that of the record if the output is standard output.
func (r *repairing) place() string {
	if r.Output != "" {
		return filepath.Dir(r.Output)
	}
	return r.dir()
}

func (r *repairing) write() (err error) {
	repaired := r.result.Document.Bytes()
	switch {
	case r.InPlace && !r.result.Changed:
	case r.InPlace:
		r.output = r.artifact.name
		r.backup, err = record.Replace(r.artifact.name, r.text, repaired)
	case r.Output != "":
		r.output = r.Output
		err = writeFiles(r.place(), ".", universal.File{Name: filepath.Base(r.output), Bytes: repaired})
		if errors.Is(err, fs.ErrExist) {
			return cli.Invalid("name a new file", "%s exists and is not overwritten", r.output)
		}
	case !r.JSON && cli.IsTerminal(r.Stdout):
		_, err = io.WriteString(r.Stdout, handoff.EscapeJSON(string(repaired)))
	case !r.JSON:
		_, err = r.Stdout.Write(repaired)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		err = fault.Config("name a directory that you can write to with -o", "%v", err)
	}
	return err
}
