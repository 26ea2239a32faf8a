package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A repairFlags holds the flags of a repair.
type repairFlags struct {
	encoding, output, sessionRoot string
	inPlace, prompt               bool
}

func (m *repairFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.encoding, "encoding", "",
		"how to count tokens (`name`): o200k_base (default), cl100k_base, or chars4 for a quarter of the characters")
	cmd.Flags().StringVarP(&m.output, "output", "o", "",
		"write the repaired record to this new `file` (default standard output)")
	cmd.Flags().BoolVar(&m.inPlace, "in-place", false, "replace the file, and keep the original as FILE.orig")
	cmd.Flags().BoolVar(&m.prompt, "prompt", false, "if the repair fails, print a prompt for a model")
	cmd.Flags().StringVar(&m.sessionRoot, "session-root", "",
		"write removed text to session_path/handoffs, if that is in this `directory` (default: next to the output)")
	cli.Exclusive(cmd, "output", "in-place")
}

func (m repairFlags) areGiven() bool {
	return m.output != "" || m.sessionRoot != "" || m.inPlace || m.prompt
}

func repairCommand(a *app) *cobra.Command {
	var m repairFlags
	cmd := &cobra.Command{
		Use: "repair FILE|ID|-",
		Long: `Repair a universal handoff, in up to three attempts: add defaults and convert
values; compress it to the token budget; keep only the working context. The
repaired record goes to standard output, or to -o FILE. The changes go to
standard error as JSON Patch; with --json everything goes to standard output.
The file itself changes only with --in-place. Nothing is lost: removed text is
written next to the output, as session-context-TRACE-HASH.json and
cut-content-TRACE-HASH.json.

Values in another form are converted before anything is removed: dates, RFC
2822 times and Unix seconds become UTC (a guessed time zone is reported), a
path becomes {"path": …}, a word becomes the allowed word that it means, and a
missing field gets the value of a field with a similar name. An entry of a list
that cannot be used is removed alone.

A document of another version is not repaired. Convert it to 3.0 yourself. Put
everything below the one key "handoff":
  the skill that hands over, its run, phase,      source.skill, workflow_id, phase,
  directory                                       session_path
  the next skill, and how to start it             target.skill, target.invocation
  the current state, in at most 500 characters    context.summary
  the kind of work                                context.problem_type
  open questions                                  context.known_gaps
  what the next skill needs                       payload.working
  new files, state of the session                 payload.session.artifacts,
                                                  payload.session.state
  files and pages to read                         payload.references.files,
                                                  payload.references.urls
  the skills so far, oldest first                 meta.handoff_chain
Leave out version, payload_hash and payload_size_bytes, then repair it.`,
		Example: "  handoff record repair -o repaired.json handoff.json\n" +
			"  handoff record repair --in-place handoff.json\n  handoff record repair --prompt handoff.json | model",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE:              func(_ *cobra.Command, names []string) error { return a.repairAll(names, m) },
	}
	m.register(cmd)
	return cmd
}

func (a *app) repairAll(names []string, m repairFlags) error {
	if len(names) > 1 && !m.inPlace {
		return cli.Invalid("repair one at a time, or use --in-place", "%d records, but one output", len(names))
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, a.repair(name, m))
	}
	return errors.Join(errs...)
}

// A repairing is the repair of one record.
type repairing struct {
	repairFlags
	*app
	artifact
	options universal.RepairOptions
	result  universal.Repair
	kept    []string // paths of the files with removed text
	output  string   // "" for standard output
	backup  string
}

func (a *app) repair(name string, m repairFlags) error {
	for _, path := range []string{m.output, m.sessionRoot} {
		if err := cli.CheckOutput(path); path != "" && err != nil {
			return err
		}
	}
	got, err := a.recordOf(name)
	if err != nil {
		return err
	}
	if m.inPlace && !got.isFile {
		return cli.Invalid("use -o FILE", "%s cannot be replaced: it is not a file with only a record", got.name)
	}
	if kind := record.Detect(got.text); kind != "" && kind != universal.Kind {
		return cli.Invalid("run `handoff record validate`, and fix the faults yourself",
			"%s is a %s record; only universal handoffs can be repaired", got.name, kind)
	}
	if m.inPlace {
		if err := cli.CheckOutput(filepath.Dir(got.name)); err != nil {
			return err
		}
	}
	r := &repairing{repairFlags: m, app: a, artifact: got, options: universal.RepairOptions{
		Options: a.options(got, m.encoding), NewID: sync.OnceValue(universal.NewID)}}
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
		r.audit(handoff.Validation{HandoffID: r.id, Kind: universal.Kind + "/" + universal.Version,
			Valid: report.Valid(), Stage: report.Stage,
			Faults: len(report.Faults), Warnings: len(report.Warnings), Changes: len(r.result.Patch())})
	}
	return r.report()
}

// audit records the result of a repair of a stored handoff in the audit log, or notes that it could not.
func (a *app) audit(v handoff.Validation) {
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
	if r.sessionRoot == "" {
		// Absolute, since the reader of the record may be in another directory.
		r.options.SessionDir, err = filepath.Abs(r.place())
		return r.place(), ".", err
	}
	if root, err = filepath.Abs(r.sessionRoot); err == nil {
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
	moved := make([]file, len(r.result.Moved))
	for i, f := range r.result.Moved {
		moved[i] = file(f)
	}
	return writeFiles(root, dir, moved...)
}

// place returns the directory of the output, or that of the record if the output is standard output.
func (r *repairing) place() string {
	if r.repairFlags.output != "" {
		return filepath.Dir(r.repairFlags.output)
	}
	return r.dir()
}

func (r *repairing) write() (err error) {
	repaired := r.result.Document.Bytes()
	switch {
	case r.inPlace && !r.result.Changed:
	case r.inPlace:
		r.output = r.artifact.name
		r.backup, err = record.Replace(r.artifact.name, r.text, repaired)
	case r.repairFlags.output != "":
		r.output = r.repairFlags.output
		err = writeFiles(r.place(), ".", file{Name: filepath.Base(r.output), Bytes: repaired})
		if errors.Is(err, fs.ErrExist) {
			return cli.Invalid("name a new file", "%s exists and is not overwritten", r.output)
		}
	case !r.JSON && cli.IsTerminal(r.Stdout):
		_, err = io.WriteString(r.Stdout, handoff.EscapeJSON(string(repaired)))
	case !r.JSON:
		_, err = r.Stdout.Write(repaired)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		err = fault.New(fault.ErrConfig, "name a directory that you can write to with -o", "%v", err)
	}
	return err
}
