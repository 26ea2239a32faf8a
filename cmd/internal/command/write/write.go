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
		Short: "Store a document, any Markdown with --to, or a record",
		Long: `Store documents. When it exits with 0, body, INDEX.md row and audit event are on disk.
The same document again changes nothing, so that a failed command can always be repeated.

FILE is a markdown document with YAML frontmatter, or a record as JSON: a resume packet, a universal
handoff or a run record, by its shape or --kind. With --to it is any Markdown: what a frontmatter lacks
comes from flags and defaults (from is you, ts_utc now, the topic the first heading); flags must not
contradict it. DIR stands for its *.md and *.json files, - for standard input. A record fills the
frontmatter itself: from is its agent or source.skill, to its target.skill, topic its task, task_id or
source.workflow_id, ts_utc its updated_at, created_at or timestamp. Flags override. Several documents are checked first and
stored all or none. A document with a credential in it is refused.

With --work and --file a handoff whose frontmatter is made here records the commit that is checked out and
files as they are; handoff check says later whether the work went on since. With --re, --supersedes and --expires
its references say what it answers, whose place it takes, and until when it is of use.`,
		Example: `  handoff write note.md --to ben
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
				return cli.WithHint(err, "any Markdown is a handoff with --to OPERATOR")
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
	cmd.Flags().StringVar(&kind, "kind", "", "the `kind` of the records: packet, universal or run (default by their shape)")
	cli.Texts(cmd.Flags(), &allowEmpty, "allow-empty", "let the body be empty, or, of packets, this `field`")
	cmd.Flags().BoolVar(&stdin0, "stdin0", false, "read NUL-separated paths from standard input")
	cmd.Flags().BoolVar(&keepGoing, "keep-going", false, "store the good documents; exit with the code of the first failure")
	return cmd
}
