package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

type writeFlags struct {
	cli.Writing
	Undo string
	Last bool
}

func writeCommand(a *cli.App) *cobra.Command {
	return storing(a, &cobra.Command{
		Use:   "write [FILE… | DIR | -] --to NAME",
		Short: "Give a handoff to someone",
		Long: `Give a handoff to someone. When write exits with 0, it is on the disk.

You are the sender; the title is the first heading or sentence. Without FILE,
write reads the pipe if there is one, otherwise it opens your editor. For
several files or recipients, all handoffs are stored or none. A file that names
its recipient in its frontmatter needs no --to. The frontmatter of another tool
stays in the text.

A record, JSON of a known kind, is stored as one. Known forms of credentials are
refused.

Exit codes: 3 recipient refused, 4 busy, 6 wrong id or machine, 7 bad directory.`,
		Example: `  handoff write --to ben                        # opens your editor
  handoff write -m 'Tests are green.' --to ben
  git log -3 | handoff write --to ben,cy`,
		Args: cobra.ArbitraryArgs,
	}, func(f *writeFlags, args []string) error { return f.store(a, args) })
}

func newCommand(a *cli.App) *cobra.Command {
	cmd := writeCommand(a)
	cmd.Use, cmd.Short, cmd.Example = "new --to NAME", "Write a handoff, as write does", "  handoff new --to ben"
	return cmd
}

func supersedeCommand(a *cli.App) *cobra.Command {
	return storing(a, &cobra.Command{
		Use:   "supersede ID [FILE|-]",
		Short: "Replace a handoff by a newer one",
		Long: `Replace a handoff by a newer one, as handoff write --supersedes ID does. The
editor opens with the old text. Only its sender or recipient can replace it.`,
		Example: `  handoff supersede 134327a8
  handoff supersede 134327a8 plan-2.md --expires 7d`,
		Args: cobra.MinimumNArgs(1),
	}, func(f *writeFlags, args []string) error {
		f.Supersedes, f.IDs = append(f.Supersedes, args[0]), args[:1]
		return f.store(a, args[1:])
	})
}

func replyCommand(a *cli.App) *cobra.Command {
	return storing(a, &cobra.Command{
		Use:   "reply [ID] [FILE|-]",
		Short: "Reply to a handoff",
		Long: `Reply to a handoff. The reply goes to its sender, or if that is you, to its
recipient again, with the same topic. Without ID, it is the one that you hold.
The text comes from FILE, the pipe, or your editor, as with write.`,
		Example: `  handoff reply 134327a8                        # opens your editor
  handoff reply 134327a8 -m 'Done, the cache is warm.'
  handoff reply 134327a8 answer.md`,
		Args: cobra.ArbitraryArgs,
	}, func(f *writeFlags, args []string) error {
		if f.Undo != "" {
			return f.store(a, args)
		}
		if len(args) == 0 || args[0] == "-" {
			args = append([]string{"@"}, args...)
		}
		return f.reply(a, args[0], args[1:])
	})
}

// storing gives a command the flags of write, and runs it.
func storing(a *cli.App, cmd *cobra.Command, run func(*writeFlags, []string) error) *cobra.Command {
	f := &writeFlags{Writing: cli.Writing{App: a}}
	f.Declare(cmd)
	cmd.Flags().StringVar(&f.Undo, "undo", "", "take this `handoff` back, if its recipient has not read it")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return run(f, args) }
	if cmd.Name() == "write" {
		cmd.Flags().BoolVar(&f.Last, "last-session", false, "publish what the last session of an agent has left here")
		cli.Conflicts(cmd, "last-session", "message", "undo")
	}
	if cmd.Name() != "reply" {
		cmd.Flags().Var(cli.Choice(&f.Kind, kinds.Names()...), "kind", "the `kind` of the records: packet, universal "+
			"or run (default: from their shape)")
	}
	return cmd
}

// store stores what the files, the message, a pipe or the editor say, or takes a handoff back.
func (f *writeFlags) store(a *cli.App, files []string) error {
	if f.Undo != "" {
		if len(files) > 0 {
			return cli.Invalid("remove one", "--undo conflicts with %q", files[0])
		}
		return perform(a, handoff.ActWithdraw, []string{f.Undo}, handoff.Who{})
	}
	if f.Last {
		return f.publish(a, files)
	}
	if err := f.Read(files); err != nil {
		return err
	}
	return f.Store("")
}

// publish stores what the last session has left, and removes its file.
func (f *writeFlags) publish(a *cli.App, files []string) error {
	_, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	last, err := agent.LastSession(s, a.Getenv)
	if err != nil {
		return err
	}
	f.Message = last.Text
	if err = f.Read(files); err == nil {
		err = f.Store("")
	}
	if err != nil {
		return err
	}
	return last.Remove()
}

// reply stores the answer to a handoff.
func (f *writeFlags) reply(a *cli.App, id string, files []string) error {
	if err := f.AnswerTo(id); err != nil {
		return f.Kept(err, files)
	}
	return f.store(a, files)
}
