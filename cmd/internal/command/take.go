package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// actFlags are the flags of actions.
type actFlags struct {
	*cli.Who
	*cli.Session
}

func (f *actFlags) declare(flags *pflag.FlagSet) {
	f.Session.Declare(flags)
}

type takeFlags struct {
	actFlags
	For    *time.Duration
	Steal  bool
	Reason string
	Undo   bool
}

func takeCommand(a *cli.App) *cobra.Command {
	f := &takeFlags{actFlags: actFlags{Who: &a.Who, Session: &a.Session}}
	cmd := &cobra.Command{
		Use:   "take ID…",
		Short: "Take a handoff, so that only you work on it",
		Long: `Take a handoff, so that only you work on it. Taking marks it as read. If
several operators or sessions take a handoff at once, one of them gets it; the
others exit with 11, and the error names the holder. If you repeat the command,
the status is "existing".

The take of an agent session has a lease: 2 hours, or the setting lease; --for
sets another. The take of a person has none. Once a lease is over, or the
session of the same operator has died on this machine, take takes the handoff
over. The session that held it can no longer finish it, unless it takes it
again. --steal takes over at once: for people, at a terminal, with a --reason.

Of several handoffs you get those that you can have, and the others are named.
To finish a handoff use handoff done; --undo gives it back.
If you resume a packet, you have taken it.

Exit codes: 3 --steal without the right to it, 11 taken or done.`,
		Example: `  handoff take 134327a8 --operator ben
  handoff take 134327a8 --session s-17 --for 30m
  handoff take --undo 134327a8`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return take(a, f, args) },
	}
	flags := cmd.Flags()
	f.actFlags.declare(flags)
	flags.Var(cli.OptionalDuration(&f.For), "for", "the `duration` of the lease, such as 2h")
	flags.BoolVar(&f.Steal, "steal", false, "take over from the holder, at a terminal (with --reason)")
	flags.StringVar(&f.Reason, "reason", "", "with --steal: why (`text`), for the audit log")
	flags.BoolVar(&f.Undo, "undo", false, "give the handoff back")
	cli.Needs(cmd, "reason", "steal")
	cli.Conflicts(cmd, "undo", "steal")
	cli.Conflicts(cmd, "undo", "for")
	return cmd
}

func take(a *cli.App, f *takeFlags, ids []string) error {
	act, who := handoff.ActTake, handoff.Who{Session: a.SessionID(), Reason: f.Reason}
	if f.For != nil {
		who.For = *f.For
	}
	switch {
	case f.For != nil && who.For <= 0:
		return cli.Invalid("use a duration such as 30m or 2h", "--for needs a duration longer than 0")
	case f.Steal && strings.TrimSpace(who.Reason) == "":
		return cli.Invalid("add --reason TEXT", "--steal needs a reason: the holder will read it")
	case f.Steal && !a.CanAsk():
		return cli.Invalid("run it at a terminal", "--steal is for people at a terminal")
	case f.Steal:
		act = handoff.ActSteal
	case f.Undo:
		act = handoff.ActRelease
	}
	return perform(a, act, ids, who, nil)
}

func releaseCommand(a *cli.App) *cobra.Command {
	return noted(a, handoff.ActRelease, &cobra.Command{
		Use:   "release ID…",
		Short: "Give a handoff back",
		Long: `Give back a handoff that you have taken, in whatever session. It is unread
again, and can be taken again. @ is the handoff that you have taken. If it is
not taken, nothing happens. Its sender, and operators with the capability human,
can also release what others have taken.

Exit codes: 11 taken by another operator, or done.`,
		Example:           `  handoff release 134327a8 --operator ben --note 'waiting for the keys'`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
	})
}

func withdrawCommand(a *cli.App) *cobra.Command {
	return noted(a, handoff.ActWithdraw, &cobra.Command{
		Use:   "withdraw ID…",
		Short: "Take back a handoff that nobody has read",
		Long: `Take back a handoff that you have sent, before it is read or taken. It is then
hidden; list --all and list --state withdrawn show it. The audit log keeps it.
If the handoff was read or taken, supersede it by a newer one. @ is the newest
that you have sent and that is unread.

` + "`handoff done --undo ID`" + ` sends it again.

Exit codes: 2 read or taken.`,
		Example: `  handoff withdraw 134327a8
  handoff withdraw 134327a8 --note 'sent to the wrong ben'`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
	})
}

// noted makes a command perform an action with a note.
func noted(a *cli.App, act handoff.Act, cmd *cobra.Command) *cobra.Command {
	f, note := &actFlags{Who: &a.Who, Session: &a.Session}, ""
	f.declare(cmd.Flags())
	cmd.Flags().StringVar(&note, "note", "", "why (`text`), for the audit log")
	cmd.RunE = func(_ *cobra.Command, ids []string) error {
		return perform(a, act, ids, handoff.Who{Session: a.SessionID(), Reason: note}, nil)
	}
	return cmd
}

type doneFlags struct {
	actFlags
	Note  string
	Reply string
	Undo  bool
}

func doneCommand(a *cli.App) *cobra.Command {
	f := &doneFlags{actFlags: actFlags{Who: &a.Who, Session: &a.Session}}
	cmd := &cobra.Command{
		Use:   "done ID…",
		Short: "Finish a handoff; --undo reopens it",
		Long: `Finish a handoff, and mark it as read. @ is the handoff that you have taken.
You can also finish a handoff that is not taken. What another session has taken,
even one of yours, needs that session to finish it, or --session.

--reply then stores the text of a file, or of standard input, as the answer, as
handoff reply does. You can repeat the command: the same text is the same
answer. --undo reopens a handoff that you finished or sent: it is unread again,
and can be taken again. There @ is the one that you finished last.

Exit codes: 11 taken or finished by another operator or session.`,
		Example: `  handoff done @ --note 'merged as 1f3c2aa'
  handoff done 134327a8 --reply answer.md
  handoff done --undo 134327a8`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return done(a, f, args) },
	}
	flags := cmd.Flags()
	f.actFlags.declare(flags)
	flags.StringVar(&f.Note, "note", "", "the result (`text`), for the audit log")
	flags.StringVar(&f.Reply, "reply", "", "answer with the text of this `file`, or - for standard input")
	flags.BoolVar(&f.Undo, "undo", false, "reopen the handoff")
	cli.Conflicts(cmd, "note", "reply")
	cli.Conflicts(cmd, "undo", "reply")
	return cmd
}

func done(a *cli.App, f *doneFlags, ids []string) error {
	act, who := handoff.ActDone, handoff.Who{Session: a.SessionID(), Reason: f.Note}
	if f.Undo {
		act = handoff.ActReopen
	}
	if f.Reply == "" {
		return perform(a, act, ids, who, nil)
	}
	in := cli.Input{App: a}
	name, text, err := in.ReadNamed(f.Reply) // before anything is finished
	if err != nil {
		return err
	}
	return in.Kept(perform(a, act, ids, who, func(operator string) (func(*handoff.ActReceipt) error, error) {
		if len(ids) > 1 {
			return nil, cli.Invalid("finish each with its own --reply", "--reply answers one handoff, not %d", len(ids))
		}
		return replyTo(&in, ids[0], operator, name, text)
	}))
}

// sentBy returns the id of the newest handoff that an operator has sent and nobody has read.
func sentBy(s *handoff.Store, operator string) (string, error) {
	sent, err := s.List(handoff.Filter{From: operator, Unread: true})
	if err == nil && len(sent) == 0 {
		err = cli.Invalid("run `handoff list --from "+operator+"`",
			"@ is the newest handoff that you have sent and nobody has read; %s has none", fault.Own(operator))
	}
	if err != nil {
		return "", err
	}
	return handoff.NewestFirst(sent)[0].ID, nil
}

// replyTo returns a function that stores a text as the answer to a handoff, once the operator has finished it. A text
// that cannot be stored is refused here, before the handoff is finished.
func replyTo(in *cli.Input, id, operator, name string, text []byte) (then func(*handoff.ActReceipt) error, err error) {
	_, s, err := in.NewStore()
	if err != nil {
		return nil, err
	}
	e, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	doc := handoff.Reply(e, operator)
	in.Fields = cli.Fields{From: doc.From, To: doc.To, Topic: doc.Topic, References: doc.References}
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

// perform performs an action on handoffs. first checks the request of the operator and may return a function to run
// after the action; nil does neither.
func perform(a *cli.App, act handoff.Act, ids []string, who handoff.Who,
	first func(operator string) (then func(*handoff.ActReceipt) error, err error)) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	if who.Operator, err = a.Acting(p, s, a.Who.Operator, ids...); err != nil {
		return err
	}
	for i := range ids {
		if ids[i], err = meant(a, s, ids[i], who.Operator, act); err != nil {
			return err
		}
	}
	var then func(*handoff.ActReceipt) error
	if first != nil {
		if then, err = first(who.Operator); err != nil {
			return err
		}
	}
	return s.Lifecycle().ActAll(context.Background(), act, ids, who, func(got handoff.ActReceipt) error {
		var failed error
		if then != nil {
			failed = then(&got)
		}
		return errors.Join(printAct(a, s, got), failed)
	})
}

// meant returns the handoff that @ means for an act: to end it or give it back the one that the operator has taken, to
// undo that the one that the operator ended last, to withdraw the one that the operator sent last. Any other name, and
// @ for another act, is returned as it is.
func meant(a *cli.App, s *handoff.Store, name, operator string, act handoff.Act) (string, error) {
	undoes := map[handoff.Act]handoff.Act{handoff.ActReopen: handoff.ActDone,
		handoff.ActUnarchive: handoff.ActArchive}[act]
	switch {
	case name != "@":
		return name, nil
	case act == handoff.ActDone || act == handoff.ActRelease:
		return a.Taken(s, operator, a.SessionID())
	case act == handoff.ActWithdraw:
		return sentBy(s, operator)
	case undoes == "":
		return name, nil
	}
	id := s.Lifecycle().Last(operator, undoes)
	if id == "" {
		did := "finished"
		if undoes == handoff.ActArchive {
			did = "archived"
		}
		return "", cli.Invalid("name the handoff", "@ is the handoff that you have %s last, but %s has %s none", did,
			fault.Own(operator), did)
	}
	return id, nil
}
