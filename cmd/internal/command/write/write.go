package write

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func writeCommand(a *app) *cobra.Command {
	var f cli.Fields
	var recording cli.Recording
	var rel cli.Relating
	var kind string
	var allowEmpty []string
	var stdin0, keepGoing bool
	cmd := &cobra.Command{
		Use:   "write FILE…|-|DIR",
		Short: "Store a handoff from a file, a directory or standard input",
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
  echo 'Tests are green, deploy is open.' | handoff write - --to ben --topic deploy
  find notes -name '*.md' -print0 | handoff write --stdin0`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := rel.Apply(a.App, &f); err != nil {
				return err
			}
			in := cli.Input{App: a.App, Fields: f, At: rel.At, Recording: recording, Kind: kind, AllowEmpty: allowEmpty}
			sources, err := in.Sources(paths, stdin0)
			if errors.Is(err, cli.ErrBeyond) || err != nil && (!keepGoing || len(sources) == 0) {
				return in.KeepTyped(err)
			}
			err = in.KeepTyped(cli.SameAgain(a.Write(sources, keepGoing, err), in.Took))
			if doc := (*handoff.DocumentError)(nil); in.Headless && errors.As(err, &doc) {
				return cli.WithHint(err, "to store Markdown, add --to NAME, or --to next for whoever works here next")
			}
			return err
		},
	}
	f.Register(cmd)
	rel.Register(cmd)
	recording.Register(cmd, true)
	a.Gate.Register(cmd)
	a.Gate.RegisterRestore(cmd)
	a.Sign.Register(cmd)
	cmd.Flags().StringVar(&kind, "kind", "",
		"the `kind` of the records: packet, universal or run (default: from their shape)")
	cli.Texts(cmd.Flags(), &allowEmpty, "allow-empty", "accept an empty body, or this empty `field` of a packet")
	cmd.Flags().BoolVar(&stdin0, "stdin0", false, "read NUL-separated paths from standard input")
	cmd.Flags().BoolVar(&keepGoing, "keep-going", false,
		"store the valid files; exit with the code of the first failure")
	return cmd
}
