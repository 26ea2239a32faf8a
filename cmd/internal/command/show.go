package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

type showFlags struct {
	Markdown bool
	Export   bool
}

func showCommand(a *cli.App) *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show ID|TASK",
		Short: "Print the record of a handoff",
		Long: `Print the record of a handoff as JSON, or with --markdown its view for people:
as it is in a pipe, escaped on a terminal. The id is checked first, as by read.
TASK means the newest run record of that task. A handoff without a record is
printed as read prints it.

--export writes a universal handoff to
{session_path}/handoffs/{source}-to-{target}-{time}.json and prints the path. If
that cannot be written, the file goes to the temporary directory.`,
		Example: `  handoff show 134327a8
  handoff show task_review_docs --markdown`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return showRecord(a, f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Markdown, "markdown", false, "print the view for people")
	flags.BoolVar(&f.Export, "export", false, "write the JSON of a universal handoff to the directory of its session")
	cli.Conflicts(cmd, "markdown", "export")
	return cmd
}

func showRecord(a *cli.App, f *showFlags, name string) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	got, r, err := namedRecord(s, name)
	switch {
	case err != nil:
		return err
	case f.Export && (r == nil || r.Name != kinds.Universal):
		return cli.Invalid("redirect standard output to a file", "--export works only for universal handoffs")
	case f.Export:
		return exportRecord(a, s, *r)
	}
	text, escape := got.Body, handoff.Escape
	if r != nil {
		if text = r.View(); !f.Markdown {
			text, escape = string(r.JSON())+"\n", handoff.EscapeJSON
		}
		in := handoff.InputOf(got.Entry.ID, got.Document)
		if said := in.Baseline(); said.HasAny() {
			a.Note(cli.WorkOf(p).Compare(context.Background(), said).Line())
		}
	}
	if cli.IsTerminal(a.Stdout) {
		text = escape(text)
	}
	return a.Print(text)
}

// namedRecord reads a handoff by its id, or the newest run record of a task. The record is nil if it has none.
func namedRecord(s *handoff.Store, name string) (got handoff.Stored, r *kinds.Record, err error) {
	if got, err = s.Read(name); err == nil {
		if found, is := kinds.Extract(got.Body); is {
			r = &found
		}
		return got, r, nil
	}
	entries, _, failed := s.Records().Runs()
	for _, e := range entries {
		if e.Text("/task_id") == name {
			got, err = s.Read(e.HandoffID)
			return got, &e.Record, err
		}
	}
	if failed == nil && !looksLikeID(name) {
		err = cli.Invalid("run `handoff onboard` for the recent tasks", "no record of the task %q in %s", name, s.Dir())
	}
	return got, nil, err
}

// exportRecord writes a universal handoff to the directory of its session, or else to the temporary one. The session
// comes from the record, but nothing is written outside of it.
func exportRecord(a *cli.App, s *handoff.Store, r kinds.Record) error {
	root, dir, text := r.Text("/handoff/source/session_path"), "handoffs", append(r.JSON(), '\n')
	err := errors.New("its session is the project, whose directory has only handoffs")
	if filepath.Join(root, dir) != s.Dir() {
		err = writeFile(root, dir, r.FileName(), text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		a.Note(fmt.Sprintf("warning: %v; using the fallback location %s", err, os.TempDir()))
		root, dir = os.TempDir(), "."
		err = writeFile(root, dir, r.FileName(), text)
	}
	if err != nil {
		return fault.Config("remove the file, or redirect the output of handoff show", "%v", err)
	}
	path := filepath.Join(root, dir, r.FileName())
	return a.Show(map[string]string{"file_path": path}, handoff.EscapeLine(path)+"\n")
}
