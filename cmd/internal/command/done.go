package command

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type doneFlags struct {
	handoff.Who
	undo   bool
	reply  string
	answer cli.Writing
}

func doneCommand(a *cli.App) *cobra.Command {
	f := &doneFlags{answer: cli.Writing{App: a}}
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
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, ids []string) error { return done(a, f, ids) },
	}
	f.answer.Command = cmd
	flags := cmd.Flags()
	a.Session.Declare(flags)
	flags.BoolVar(&f.undo, "undo", false, "reopen the handoff")
	flags.StringVar(&f.Reason, "note", "", "the result (`text`), for the sender")
	flags.StringVar(&f.reply, "reply", "", "answer with the text of this `file`, or - for standard input")
	flags.BoolVar(&f.ForOther, "for-other", false, "finish what is to another operator")
	a.Gate.Declare(flags)
	f.answer.DeclareAllowEmpty(cmd)
	cli.Conflicts(cmd, "undo", "reply")
	cli.Conflicts(cmd, "undo", "for-other")
	for _, name := range []string{"redact", "allow-secret", "allow-empty"} {
		cli.Needs(cmd, name, "reply")
	}
	return cmd
}

func done(a *cli.App, f *doneFlags, ids []string) error {
	switch {
	case f.undo:
		return perform(a, handoff.ActReopen, ids, f.Who)
	case f.reply == "":
		return perform(a, handoff.ActDone, ids, f.Who)
	case len(ids) > 1:
		return cli.Invalid("finish each with its own --reply", "--reply answers one handoff, not %d", len(ids))
	}
	w, text := &f.answer, []string{f.reply}
	w.From, w.IDs = a.Who.Operator, ids
	do, err := newActing(a, handoff.ActDone, f.Who, ids...)
	id := cmp.Or(strings.Join(ids, ""), "@")
	if err == nil && id == "@" {
		id, err = do.meant()
	}
	if err == nil {
		err = w.AnswerTo(id)
	}
	if err != nil {
		return w.Kept(err, text)
	}
	if err = w.Read(text); err == nil { // before anything is finished
		err = w.Try()
	}
	if err != nil {
		return err
	}
	do.then = func(done *handoff.ActReceipt) error {
		a.Ending = done // so that a repeated command stores the same handoff
		return w.Store(done.Time)
	}
	return w.Kept(do.all(ids), text)
}
