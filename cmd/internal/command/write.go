package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type writeFlags struct {
	cli.Fields
	cli.Relating
	cli.Recording
	File []string
	*cli.Gate
	*cli.Signing
	Kind       string
	AllowEmpty []string
}

func writeCommand(a *cli.App) *cobra.Command {
	f := &writeFlags{Gate: &a.Gate, Signing: &a.Signing}
	cmd := &cobra.Command{
		Use:   "write FILE…|-|DIR",
		Short: "Store a handoff from a file, directory or standard input",
		Long: `Store handoffs. When write exits with 0, they are on disk. You can repeat a
failed command: nothing is stored twice.

FILE is Markdown, a handoff with its own frontmatter, or a record as JSON. DIR
means its *.md and *.json files, - means standard input. Plain Markdown needs
--to: you are the sender, the time is now, and the topic comes from the first
heading. A flag must not contradict the frontmatter. Several files are checked
first, and stored all or none. A file that contains a credential is refused.

--to ben,cy, or a team in OPERATORS.md, stores one handoff for each recipient,
all or none. --to next is for whoever works here next, you included. It is the
default if you are the only operator in OPERATORS.md, or in the handoffs here.

A record is a packet, a universal handoff or a run record. It fills in the
frontmatter itself, and flags override it:
  from     agent or source.skill
  to       target.skill
  topic    task, task_id or source.workflow_id
  ts_utc   updated_at, created_at or timestamp

With --work and --file, write records the commit and files as they are now.
Later, handoff check compares them with the project. --re, --supersedes and
--expires say what the handoff answers, what it replaces, and when it expires.

Exit codes: 3 operator refused, 4 busy, 6 wrong id or machine, 7 bad directory.`,
		Example: `  handoff write note.md --to ben
  handoff write plan.md --to ben,cy
  handoff write HANDOFF.md --to next
  handoff write packet.json --to ben
  echo 'Tests are green.' | handoff write - --to ben --topic deploy`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return write(a, f, args) },
	}
	flags := cmd.Flags()
	f.Fields.Declare(flags)
	f.Relating.Declare(flags)
	f.Recording.Declare(flags)
	flags.StringArrayVar(&f.File, "file", nil, "record this `file` as it is, for check to compare; can be "+
		"repeated")
	f.Gate.Declare(flags)
	f.Signing.Declare(flags)
	flags.StringVar(&f.Kind, "kind", "", "the `kind` of the records: packet, universal or run (default: "+
		"from their shape)")
	flags.StringArrayVar(&f.AllowEmpty, "allow-empty", nil, "accept an empty body, or this empty `field` "+
		"of a packet; can be repeated")
	return cmd
}

func write(a *cli.App, f *writeFlags, paths []string) error {
	if err := f.Apply(a, &f.Fields); err != nil {
		return err
	}
	f.Files = f.File
	in := cli.Input{App: a, Fields: f.Fields, At: f.At, Recording: f.Recording, Kind: f.Kind,
		AllowEmpty: f.AllowEmpty}
	sources, err := in.Sources(paths)
	if err != nil {
		return in.Kept(err)
	}
	err = in.Kept(cli.SameAgain(a.Write(sources), in.Took))
	if _, is := errors.AsType[*handoff.DocumentError](err); is && in.Headless {
		return cli.WithHint(err, "to store Markdown, add --to NAME, or --to next for whoever works here next")
	}
	return err
}
