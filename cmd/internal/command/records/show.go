package records

import (
	"errors"
	"fmt"
	"io"
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

func showCommand(a *app) *cobra.Command {
	var markdown bool
	var root string
	cmd := &cobra.Command{
		Use: "show ID|TASK_ID",
		Long: `Print the record of a handoff as JSON, or with --markdown its view for people:
as it is in a pipe, escaped on a terminal. The id is checked first, as by read.
A plain handoff has no record. TASK_ID means the newest run record of that
task.

--export writes a universal handoff to
{session_path}/handoffs/{source}-to-{target}-{time}.json, if that is in the
directory that you name, otherwise to the directory itself. It prints the path.`,
		Example: "  handoff record show 134327a8\n  handoff record show task_review_docs\n" +
			"  handoff record show 134327a8 --markdown\n  handoff record show 134327a8 --export ~/sessions",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
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
			if root != "" {
				return a.export(block, root)
			}
			in := record.Input(got.Entry.ID, got.Document, schema.Universal())
			if line := record.Work(*cli.WorkOf(p), in.References, in.Says()).Line(); line != "" {
				a.Note(line)
			}
			text, escape := strings.TrimRight(string(block.JSON), "\n")+"\n", handoff.EscapeJSON
			if markdown {
				text, escape = block.View, handoff.Escape
			}
			if cli.IsTerminal(a.Stdout) {
				text = escape(text)
			}
			_, err = io.WriteString(a.Stdout, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the view for people")
	cmd.Flags().StringVar(&root, "export", "", "write the JSON to a file in this `directory` instead")
	cli.Exclusive(cmd, "markdown", "export")
	return cmd
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

// export writes a universal handoff to the directory of its session. The path comes from the record, but cannot leave
// root.
func (a *app) export(block record.Block, root string) error {
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
	file := file{Name: d.FileName(), Bytes: []byte(strings.TrimRight(string(block.JSON), "\n") + "\n")}
	dir, err := d.SessionDir(root)
	if err == nil {
		err = writeFiles(root, dir, file)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		a.Note(fmt.Sprintf("warning: %v; using the fallback location %s", err, root))
		dir = "."
		err = writeFiles(root, dir, file)
	}
	if err != nil {
		return fault.New(fault.ErrConfig, "name another directory with --export", "%v", err)
	}
	path := filepath.Join(root, dir, file.Name)
	return a.Show(map[string]string{"file_path": path}, handoff.EscapeLine(path)+"\n")
}
