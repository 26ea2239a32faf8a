package work

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func takeCommand(a *app) *cobra.Command {
	act, steal := handoff.ActTake, false
	cmd, who := a.actCommand(&act, nil)
	cmd.Use, cmd.Short = "take ID…", "Take a handoff, so that only you work on it"
	cmd.Long = `Take a handoff, so that only you work on it. Taking marks it as read. If
several operators or sessions take a handoff at once, one of them gets it; the
others exit with 11 and learn who has it. You can repeat the command: the
status is then "existing".

The take of an agent session has a lease: 2 hours, or the setting lease; --for
sets another. The take of a person has none. Once a lease is over, or the
session of the same operator has died on this machine, take takes the handoff
over. The session that held it can no longer finish it, unless it takes it
again. In a project that syncs, 5 more minutes must pass, because clocks differ.
--steal takes over at once: for people, at a terminal, with a --reason.

After the first sync of a project this holds for all its clones: the remote
decides. If the remote is unreachable, take exits with 1; --offline goes ahead,
and the next sync reports a conflict. Several handoffs are asked for in one
request; the first that you cannot have ends the command. To finish a handoff
use handoff done, to give it back handoff release. If you resume a packet, you
have taken it.

Exit codes: 1 remote unreachable, 3 awaiting approval, or --steal without the
right to it; 11 taken or done.`
	cmd.Example = "  handoff take 134327a8 --operator ben\n  handoff take 134327a8 --session s-17 --for 30m"
	cli.Duration(cmd.Flags(), &who.For, "for", "the `duration` of the lease, such as 2h")
	cmd.Flags().BoolVar(&steal, "steal", false, "take over from the holder, at a terminal (with --reason)")
	cmd.Flags().StringVar(&who.Reason, "reason", "", "with --steal: why (`text`), for the audit log")
	cli.Before(cmd, func(given func(string) bool) error {
		switch {
		case given("for") && who.For <= 0:
			return cli.Invalid("use a duration such as 30m or 2h", "--for needs a duration longer than 0")
		case given("reason") && !steal:
			return cli.Invalid("use --steal --reason, or leave it out", "--reason is for --steal")
		case steal && strings.TrimSpace(who.Reason) == "":
			return cli.Invalid("add --reason TEXT", "--steal needs a reason: the holder will read it")
		case steal && !a.CanAsk():
			return cli.Invalid("run it at a terminal", "--steal is for people at a terminal")
		case steal:
			act = handoff.ActRevoke
		}
		return nil
	})
	return cmd
}

func releaseCommand(a *app) *cobra.Command {
	cmd, who := a.actCommand(constant(handoff.ActRelease), nil)
	cmd.Use, cmd.Short = "release ID…", "Give a handoff back"
	cmd.Long = `Give back a handoff that you have taken, in whatever session, so that it can be
taken again. @ is the handoff that you have taken. If it is not taken, nothing
happens. Its sender, and operators with the capability human, can also release
what others have taken.

Exit codes: 1 remote unreachable, 11 taken by another operator, or done.`
	cmd.Example = "  handoff release 134327a8 --operator ben --note 'waiting for the keys'"
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log")
	return cmd
}

func doneCommand(a *app) *cobra.Command {
	var reply, name string
	var text []byte
	act, undo := handoff.ActDone, false
	in := cli.Input{App: a.App}
	cmd, who := a.actCommand(&act, func(ids []string, operator string) (func(handoff.ActReceipt) error, error) {
		if reply == "" {
			return nil, nil
		}
		if len(ids) > 1 {
			return nil, cli.Invalid("finish each with its own --reply", "--reply answers one handoff, not %d", len(ids))
		}
		return replyTo(&in, ids[0], operator, name, text)
	})
	cmd.Use, cmd.Short = "done ID…", "Finish a handoff; --undo reopens it"
	cmd.Long = `Finish a handoff, and mark it as read. @ is the handoff that you have taken.
You can also finish a handoff that is not taken. What another session has taken,
even one of yours, needs that session to finish it, or --session.

--reply then stores the text of a file, or of standard input, as the answer, as
handoff reply does. You can repeat the command: the same text is the same
answer. --undo reopens a handoff that you finished or sent, so that it can be
taken again; there @ is the one that you finished last.

Exit codes: 1 remote unreachable, 3 awaiting approval, 11 taken or finished by
another operator or session.`
	cmd.Example = "  handoff done @ --note 'merged as 1f3c2aa'\n  handoff done 134327a8 --reply answer.md\n" +
		"  handoff done --undo 134327a8"
	cmd.Flags().StringVar(&who.Reason, "note", "", "the result (`text`), for the audit log")
	cmd.Flags().StringVar(&reply, "reply", "", "answer with the text of this `file`, or - for standard input")
	cmd.Flags().BoolVar(&undo, "undo", false, "reopen the handoff")
	cli.Exclusive(cmd, "note", "reply")
	cli.Exclusive(cmd, "undo", "reply")
	cli.Before(cmd, func(given func(string) bool) (err error) {
		if undo {
			act = handoff.ActReopen
		}
		if given("reply") { // read the text first
			name, text, err = in.ReadNamed(reply)
		}
		return err
	})
	return cmd
}

func withdrawCommand(a *app) *cobra.Command {
	cmd, who := a.actCommand(constant(handoff.ActWithdraw), nil)
	cmd.Use, cmd.Short = "withdraw ID…", "Take back a handoff that nobody has read"
	cmd.Long = `Take back a handoff that you have sent, before it is read or taken. It is then
hidden; list --all and list --state withdrawn show it. The audit log keeps it.
If the handoff was read or taken, supersede it by a newer one. @ is the newest
that you have sent and nobody has read.

` + "`" + `handoff done --undo ID` + "`" + ` sends it again.

Exit codes: 1 remote unreachable, 2 read or taken, 11 taken first in another
clone.`
	cmd.Example = "  handoff withdraw 134327a8\n  handoff withdraw 134327a8 --note 'sent to the wrong ben'"
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log")
	return cmd
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
func replyTo(in *cli.Input, id, operator, name string, text []byte) (then func(handoff.ActReceipt) error, err error) {
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
	sources, err := before.Text(name, text)
	if err != nil {
		return nil, err
	}
	results, err := s.TryGood(sources)
	if err == nil {
		err = handoff.Faults(results)
	}
	return func(done handoff.ActReceipt) error {
		in.At = done.Time // so that a repeated command stores the same handoff
		sources, err := in.Text(name, text)
		if err != nil {
			return err
		}
		return in.Write(sources, false, nil)
	}, err
}

func constant(act handoff.Act) *handoff.Act { return &act }

// actCommand returns a command that performs an action on handoffs. A flag may change the action before it runs. first
// checks the request and may return a function to run after the action; nil does neither.
func (a *app) actCommand(act *handoff.Act, first func(ids []string, operator string) (
	then func(handoff.ActReceipt) error, err error)) (*cobra.Command, *handoff.Consumption) {
	who, offline := new(handoff.Consumption), false
	filing := *act == handoff.ActArchive // needs no remote
	cmd := &cobra.Command{
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			p, s, err := a.OnceStore(offline)
			if err != nil {
				return err
			}
			if who.Operator, err = a.Acting(p, s, who.Operator, ids...); err != nil {
				return err
			}
			for i := range ids {
				if ids[i], err = a.meant(s, ids[i], who.Operator, *act); err != nil {
					return err
				}
			}
			if !filing {
				who.Session = a.Session(who.Session)
			}
			var then func(handoff.ActReceipt) error
			if first != nil {
				if then, err = first(ids, who.Operator); err != nil {
					return err
				}
			}
			ctx, stop := a.Stoppable()
			defer stop()
			return s.Lifecycle().ActAll(ctx, *act, ids, *who, func(got handoff.ActReceipt) error {
				if err := a.printAct(s, got); err != nil || then == nil {
					return err
				}
				return then(got)
			})
		},
	}
	if a.OperatorFlag(cmd, &who.Operator); !filing {
		a.SessionFlag(cmd, &who.Session)
		cmd.Flags().BoolVar(&offline, "offline", false, cli.OfflineUsage)
	}
	return cmd, who
}

// meant returns the handoff that @ means for an act: to end it or give it back the one that the operator has taken, to
// undo that the one that the operator ended last, to withdraw the one that the operator sent last. Any other name, and
// @ for another act, is returned as it is.
func (a *app) meant(s *handoff.Store, name, operator string, act handoff.Act) (string, error) {
	undoes := map[handoff.Act]handoff.Act{handoff.ActReopen: handoff.ActDone,
		handoff.ActUnarchive: handoff.ActArchive}[act]
	switch {
	case name != "@":
		return name, nil
	case act == handoff.ActDone || act == handoff.ActRelease:
		return a.takenBy(s, operator)
	case act == handoff.ActWithdraw:
		return sentBy(s, operator)
	case undoes == "":
		return name, nil
	}
	id := s.Lifecycle().Last(operator, undoes)
	if id == "" {
		did := map[handoff.Act]string{handoff.ActDone: "finished", handoff.ActArchive: "archived"}[undoes]
		return "", cli.Invalid("name the handoff", "@ is the handoff that you have %s last, but %s has %s none", did,
			fault.Own(operator), did)
	}
	return id, nil
}

// takenBy returns the id of the only handoff that an operator has taken.
func (a *app) takenBy(s *handoff.Store, operator string) (string, error) {
	all := s.Lifecycle().Holdings(operator)
	var taken []string
	for _, h := range all {
		about := h.Entry.Topic
		if a.ForPeople() { // a title can be made to influence agents
			about = s.ListedOne(h.Entry).Title
		}
		taken = append(taken, cli.Short(h.Entry.ID, cli.Shortest)+" "+about)
	}
	switch len(all) {
	case 0:
		return "", cli.Invalid("name the handoff, or take one: `handoff next --take`",
			"@ is the handoff that you have taken, but %s has taken none", fault.Own(operator))
	case 1:
		return all[0].Entry.ID, nil
	}
	return "", cli.Invalid("name one of them", "@ is the handoff that you have taken, but %s has taken %d: %s",
		fault.Own(operator), len(all), fault.Some(taken))
}
