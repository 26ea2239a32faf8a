package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
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
		Use:   "show ID|TASK|FILE|-",
		Short: "Print the record of a handoff",
		Long: `Print the record of a handoff or of a file as JSON, or with --markdown its view
for people: as it is in a pipe, escaped on a terminal. The id is checked first,
as by read. TASK means the newest run record of that task. A text without a
record is printed as it is.

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
	p, s, err := a.NewStore()
	if err != nil {
		return err
	}
	got, err := namedArtifact(a, s, name)
	if err != nil {
		return err
	}
	text, escape := string(got.text), handoff.Escape
	r, isRecord := kinds.Record{}, false
	if got.doc == nil {
		r, err = got.read(a.RecordOptions(cli.Fields{}, a.UTCNow()).Given)
		isRecord = err == nil
	} else {
		text = got.doc.Body
		r, isRecord = kinds.Extract(text)
		said := handoff.InputOf(got.id, *got.doc).Baseline()
		if line := cli.WorkOf(p).Compare(context.Background(), said).Line(); isRecord && line != "" {
			a.Note(line)
		}
	}
	switch {
	case f.Export && (!isRecord || r.Name != kinds.Universal):
		return cli.Invalid("redirect standard output to a file", "--export works only for universal handoffs")
	case f.Export:
		return exportRecord(a, s, r)
	case isRecord && f.Markdown:
		text = r.View()
	case isRecord:
		text, escape = string(r.JSON())+"\n", handoff.EscapeJSON
	}
	if cli.IsTerminal(a.Stdout) {
		text = escape(text)
	}
	return a.Print(text)
}

// namedArtifact reads an artifact, or the newest run record of a task.
func namedArtifact(a *cli.App, s *handoff.Store, name string) (artifact, error) {
	got, err := readArtifact(a, nil, name)
	if err == nil || isStored(name) || !isMissing(name) {
		return got, err
	}
	runs, _, err := s.Records().Runs()
	for _, r := range runs {
		if r.Text("/task_id") == name {
			return readArtifact(a, nil, r.HandoffID)
		}
	}
	return got, cmp.Or(err, cli.Invalid("run `handoff onboard` for the recent tasks",
		"no file and no record of a task %q", name))
}

// exportRecord writes a universal handoff to the directory of its session, or else to the temporary one.
func exportRecord(a *cli.App, s *handoff.Store, r kinds.Record) (err error) {
	path := ""
	for _, dir := range []string{filepath.Join(r.Text("/handoff/source/session_path"), "handoffs"), os.TempDir()} {
		if err != nil {
			a.Note(fmt.Sprintf("warning: %v; using the fallback location %s", err, dir))
		}
		_ = os.Mkdir(dir, 0o755) // that it failed shows when the file is written
		path = filepath.Join(dir, r.FileName())
		if err = cli.NewFile(s, path); err == nil {
			err = cli.WriteNew(path, append(r.JSON(), '\n'))
		}
		if err == nil {
			return a.Show(map[string]string{"file_path": path}, handoff.EscapeLine(path)+"\n")
		}
	}
	return err
}
