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
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// A mending is what the flags say about a repair.
type mending struct {
	encoding, output, sessionRoot string
	inPlace, prompt               bool
}

func (m *mending) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.encoding, "encoding", "", "how tokens are counted: `name` o200k_base (default), cl100k_base, or chars4, a quarter of the characters")
	cmd.Flags().StringVarP(&m.output, "output", "o", "", "write the repaired record to this new `file` (default standard output)")
	cmd.Flags().BoolVar(&m.inPlace, "in-place", false, "replace the file, and keep the original beside it as FILE.orig")
	cmd.Flags().BoolVar(&m.prompt, "prompt", false, "if the repair fails, print a prompt that asks a model to repair the record")
	cmd.Flags().StringVar(&m.sessionRoot, "session-root", "", "write what is moved to session_path/handoffs, if that lies in this `directory` (default beside the output)")
	cli.Exclusive(cmd, "output", "in-place")
}

func (m mending) given() bool { return m.output != "" || m.sessionRoot != "" || m.inPlace || m.prompt }

func repairCommand(a *app) *cobra.Command {
	var m mending
	cmd := &cobra.Command{
		Use: "repair FILE|ID|-",
		Long: `Repair a universal handoff in at most three attempts: defaults and conversions; compression until it
fits the token budget; the working context only. The repaired record goes to standard output or -o, the
changes go to standard error as JSON Patch (with --json all of it goes to standard output). The file
itself is changed with --in-place alone. Nothing is lost: what is moved or cut is written beside the
output as session-context-TRACE-HASH.json and cut-content-TRACE-HASH.json.

What stands in another shape is converted before anything is dropped: days, times of RFC 2822 and
seconds since 1970 become UTC (a zone that is guessed is said), a path becomes {"path": …}, a word gets
the one that is meant, a field that is missing the value of one with a name like it. An entry of a list
that cannot be used is cut alone.

A document of another version is not repaired: bring it to 3.0 by hand. Put all below the one key
"handoff", and there:
  who hands over, in which run, phase, directory  source.skill, workflow_id, phase, session_path
  who takes over, and how that one is started     target.skill, target.invocation
  how things stand, in at most 500 characters     context.summary
  what kind of work it is                         context.problem_type
  what is still open                              context.known_gaps
  what the next skill cannot do without           payload.working
  files that were made, state of the session      payload.session.artifacts, payload.session.state
  files and pages to read                         payload.references.files, payload.references.urls
  the skills it has passed through, oldest first  meta.handoff_chain
Leave out version, payload_hash and payload_size_bytes; then repair it.`,
		Example:           "  handoff record repair -o mended.json handoff.json\n  handoff record repair --in-place handoff.json\n  handoff record repair --prompt handoff.json | model",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE:              func(_ *cobra.Command, names []string) error { return a.repairAll(names, m) },
	}
	m.register(cmd)
	return cmd
}

func (a *app) repairAll(names []string, m mending) error {
	if len(names) > 1 && !m.inPlace {
		return cli.Invalid("repair one at a time, or use --in-place", "%d records cannot go to one output", len(names))
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, a.repair(name, m))
	}
	return errors.Join(errs...)
}

// A repairing is one record on its way.
type repairing struct {
	mending
	*app
	text    recordText
	options universal.RepairOptions
	result  universal.Repair
	kept    []string // paths of the files that hold what was moved or cut
	output  string   // "" for standard output
	backup  string
}

func (a *app) repair(name string, m mending) error {
	for _, path := range []string{m.output, m.sessionRoot} {
		if err := cli.CheckOutput(path); path != "" && err != nil {
			return err
		}
	}
	text, err := a.recordOf(name)
	if err != nil {
		return err
	}
	if m.inPlace && !text.file {
		return cli.Invalid("use -o FILE", "%s is not a file with a record that could be replaced", text.name)
	}
	if kind := record.Detect(text.data); kind != "" && kind != universal.Kind {
		return cli.Invalid("see what is wrong with `handoff validate`, and write it again", "%s is of the kind %s; only universal handoffs are repaired", text.name, kind)
	}
	if m.inPlace {
		if err := cli.CheckOutput(filepath.Dir(text.name)); err != nil {
			return err
		}
	}
	r := &repairing{mending: m, app: a, text: text, options: universal.RepairOptions{
		Options: text.options(m.encoding), NewID: sync.OnceValue(universal.NewID)}}
	now := time.Now()
	if r.options.Now == nil {
		r.options.Now = func() time.Time { return now } // one time for every attempt
	}
	return r.run()
}

func (r *repairing) run() error {
	d, err := universal.Parse(r.text.data)
	var faults *handoff.DocumentError
	if errors.As(err, &faults) {
		return errors.Join(&handoff.DocumentError{Name: r.text.name, Faults: faults.Faults}, r.ask(faults.Faults))
	}
	if err := r.mend(d); err != nil {
		return err
	}
	if !r.result.OK() {
		return r.failed()
	}
	if err := r.write(); err != nil {
		return err
	}
	if r.text.id != "" {
		report := r.result.Report
		r.audit(handoff.Validation{HandoffID: r.text.id, Kind: universal.Kind + "/" + universal.Version, Valid: report.Valid(), Stage: report.Stage,
			Faults: len(report.Faults), Warnings: len(report.Warnings), Changes: len(r.result.Patch())})
	}
	return r.report()
}

// audit records what a repair has found in a stored handoff, and says when it could not.
func (a *app) audit(v handoff.Validation) {
	s, err := a.Store()
	if err != nil || !s.AuditLog().RecordValidation(context.Background(), v) {
		a.Note("the audit log is busy or cannot be written: it does not record this repair")
	}
}

// mend repairs, and writes what is moved or cut, before anything relies on it. Where it cannot be written, or files of another
// repair have the same names, it goes to a directory of its own: beside the output, or else among the temporary files.
func (r *repairing) mend(d *universal.Document) (err error) {
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

// destination is where what is moved goes: beside the output, or to the directory of the session.
func (r *repairing) destination(d *universal.Document) (root, dir string, err error) {
	if r.sessionRoot == "" {
		// A bare name would mean another place to whoever gets the record.
		r.options.SessionDir, err = filepath.Abs(r.place())
		return r.place(), ".", err
	}
	if root, err = filepath.Abs(r.sessionRoot); err == nil {
		dir, err = d.SessionDir(root)
	}
	r.options.SessionDir = filepath.Join(root, dir)
	return root, dir, err
}

// keep writes what is moved or cut.
func (r *repairing) keep(root, dir string) error {
	r.kept = nil
	for _, f := range r.result.Moved {
		r.kept = append(r.kept, filepath.Join(root, dir, f.Name))
	}
	moved := make([]cli.File, len(r.result.Moved))
	for i, f := range r.result.Moved {
		moved[i] = cli.File(f)
	}
	return cli.WriteFiles(root, dir, moved...)
}

// place is the directory of the output, or of the record where that goes to standard output.
func (r *repairing) place() string {
	if r.mending.output != "" {
		return filepath.Dir(r.mending.output)
	}
	return r.text.dir
}

func (r *repairing) write() (err error) {
	repaired := r.result.Document.Bytes()
	switch {
	case r.inPlace && !r.result.Changed:
	case r.inPlace:
		r.output = r.text.name
		r.backup, err = record.Replace(r.text.name, r.text.data, repaired)
	case r.mending.output != "":
		r.output = r.mending.output
		err = cli.WriteFiles(r.place(), ".", cli.File{Name: filepath.Base(r.output), Bytes: repaired})
		if errors.Is(err, fs.ErrExist) {
			return cli.Invalid("name a file that is not there yet", "%s exists and is not overwritten", r.output)
		}
	case !r.JSON && cli.IsTerminal(r.Stdout):
		_, err = io.WriteString(r.Stdout, handoff.EscapeJSON(string(repaired)))
	case !r.JSON:
		_, err = r.Stdout.Write(repaired)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		err = &handoff.Error{Class: handoff.ErrConfig, Problem: err.Error(), Advice: "name a place that can be written with -o", Cause: err}
	}
	return err
}
