package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

type showFlags struct {
	Markdown bool
	Export   string
}

func showCommand(a *cli.App) *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show ID|TASK_ID",
		Short: "Print the record of a handoff",
		Long: `Print the record of a handoff as JSON, or with --markdown its view for people:
as it is in a pipe, escaped on a terminal. The id is checked first, as by read.
A plain handoff has no record. TASK_ID means the newest run record of that
task.

--export writes a universal handoff to
{session_path}/handoffs/{source}-to-{target}-{time}.json, if that is in the
directory that you name, otherwise to the directory itself. It prints the path.`,
		Example: `  handoff show 134327a8
  handoff show task_review_docs
  handoff show 134327a8 --markdown
  handoff show 134327a8 --export ~/sessions`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return showRecord(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Markdown, "markdown", false, "print the view for people")
	flags.StringVar(&f.Export, "export", "", "write the JSON to a file in this `directory` instead")
	cli.Conflicts(cmd, "markdown", "export")
	return cmd
}

func showRecord(a *cli.App, f *showFlags, ids []string) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	got, err := readRecord(s, ids[0])
	if err != nil {
		return err
	}
	block, err := record.Extract(got)
	if err != nil {
		return err
	}
	if f.Export != "" {
		return exportRecord(a, block, f.Export)
	}
	in := record.Input(got.Entry.ID, got.Document, schema.Universal())
	if line := record.Work(*cli.WorkOf(p), in.References, in.Says()).Line(); line != "" {
		a.Note(line)
	}
	text, escape := strings.TrimRight(string(block.JSON), "\n")+"\n", handoff.EscapeJSON
	if f.Markdown {
		text, escape = block.View, handoff.Escape
	}
	if cli.IsTerminal(a.Stdout) {
		text = escape(text)
	}
	return a.Print(text)
}

// readRecord reads a handoff by its id, or the newest run record of the task with that name.
func readRecord(s *handoff.Store, name string) (handoff.Stored, error) {
	if _, err := s.Find(name); err == nil {
		return s.Read(name)
	}
	id, err := record.NewestOfTask(s, name)
	switch {
	case err == nil:
		return s.Read(id)
	case looksLikeID(name):
		return s.Read(name) // returns the error of the id
	}
	return handoff.Stored{}, err
}

// exportRecord writes a universal handoff to the directory of its session. The path comes from the record, but cannot
// leave root.
func exportRecord(a *cli.App, block record.Block, root string) error {
	if block.Kind != universal.Kind {
		return cli.Invalid("redirect standard output to a file",
			"--export works only for universal handoffs, not for a %s", block.Kind)
	}
	d, err := universal.Parse(block.JSON)
	if err != nil {
		return err
	}
	if err := cli.CheckOutput(root); err != nil {
		return err
	}
	name, text := d.FileName(), []byte(strings.TrimRight(string(block.JSON), "\n")+"\n")
	dir, err := d.SessionDir(root)
	if err == nil {
		err = writeFile(root, dir, name, text)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		a.Note(fmt.Sprintf("warning: %v; using the fallback location %s", err, root))
		dir = "."
		err = writeFile(root, dir, name, text)
	}
	if err != nil {
		return fault.Config("name another directory with --export", "%v", err)
	}
	path := filepath.Join(root, dir, name)
	return a.Show(map[string]string{"file_path": path}, handoff.EscapeLine(path)+"\n")
}
