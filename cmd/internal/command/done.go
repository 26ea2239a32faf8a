package command

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type doneFlags struct {
	*actFlags
	Reply string
}

func doneCommand(a *cli.App) *cobra.Command {
	f := &doneFlags{}
	cmd := &cobra.Command{
		Use:   "done [ID…]",
		Short: "Finish a handoff",
		Long: `Finish a handoff, and mark it as read. Without ID, or with @, finish the one
that you hold, otherwise the one that you have read last.

You can also finish a handoff that has no holder. What a session has taken
needs that session to finish it. --reply then stores the text of a file, or of
standard input, as the answer. You can repeat the command: the same text is the
same answer. --undo reopens a handoff that you finished or sent.

Exit codes: 3 not allowed, 11 taken or finished by another operator or session.`,
		Example: `  handoff done --note 'merged as 1f3c2aa'
  handoff done 134327a8 --reply answer.md
  handoff done --undo 134327a8`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, ids []string) error { return done(a, f, ids) },
	}
	flags := cmd.Flags()
	f.actFlags = newActFlags(a, flags)
	flags.BoolVar(&f.Undo, "undo", false, "reopen the handoff")
	flags.StringVar(&f.Note, "note", "", "the result (`text`), for the sender")
	flags.StringVar(&f.Reply, "reply", "", "answer with the text of this `file`, or - for standard input")
	flags.BoolVar(&f.ForOther, "for-other", false, "finish what is to another operator")
	cli.Conflicts(cmd, "undo", "reply")
	cli.Conflicts(cmd, "undo", "for-other")
	return cmd
}

func done(a *cli.App, f *doneFlags, ids []string) error {
	switch {
	case f.Undo:
		return perform(a, handoff.ActReopen, ids, f.who())
	case f.Reply == "":
		return perform(a, handoff.ActDone, ids, f.who())
	case len(ids) > 1:
		return cli.Invalid("finish each with its own --reply", "--reply answers one handoff, not %d", len(ids))
	}
	do, err := newActing(a, handoff.ActDone, f.who(), ids...)
	if err != nil {
		return err
	}
	id := cmp.Or(strings.Join(ids, ""), "@")
	if id == "@" {
		if id, err = do.meant(); err != nil {
			return err
		}
	}
	e, err := do.store.Find(id)
	if err != nil {
		return err
	}
	in := &cli.Input{App: a}
	if do.then, err = answerTo(in, e, do.who.Operator, f.Reply); err != nil {
		return in.Kept(err)
	}
	return in.Kept(do.all(ids))
}

// answerTo returns a function that stores a text as the answer to a handoff, once the operator has finished it. A text
// that cannot be stored is refused here, before the handoff is finished.
func answerTo(in *cli.Input, e handoff.Entry, operator, file string) (func(*handoff.ActReceipt) error, error) {
	doc := handoff.Reply(e, operator)
	in.Fields = cli.Fields{From: doc.From, To: doc.To, Topic: doc.Topic, References: doc.References}
	name, text, err := in.ReadNamed(file)
	if err != nil {
		return nil, err
	}
	before := *in
	before.At = e.Time // it is not finished yet
	return func(done *handoff.ActReceipt) error {
		in.Ending, in.At = done, done.Time // so that a repeated command stores the same handoff
		sources, err := in.Text(name, text)
		if err != nil {
			return err
		}
		return in.Write(sources)
	}, in.Try(before.Text(name, text))
}
