package work

import (
	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func takeCommand(a *app) *cobra.Command {
	cmd, who := a.actCommand(constant(handoff.ActTake), nil)
	cmd.Use, cmd.Short = "take ID", "Claim a handoff for one person or session, and mark it as read"
	cmd.Long = `Claim a handoff for one person or one session of an agent, and mark it as read. Of any number that
take it at once exactly one succeeds; the others exit with 11 and are told who has it since when.
The same operator and session again is "existing", and exits with 0. A packet whose work was
resumed is taken by who resumed it.

In a store that has synced, exactly one in all clones: the git remote lets one in. Where it cannot be reached
the command exits with 1, unless --offline is given; see ` + "`handoff help git`" + `.`
	cmd.Example = "  handoff take 134327a8 --operator ben\n  handoff take 134327a8 --session s-17"
	a.SessionFlag(cmd, &who.Session)
	return cmd
}

func releaseCommand(a *app) *cobra.Command {
	cmd, who := a.actCommand(constant(handoff.ActRelease), nil)
	cmd.Use, cmd.Short = "release ID", "Give a handoff back, so that it can be taken again"
	cmd.Long = `Give back a handoff that the operator has taken, from whatever session. It can be taken again then. @ is the
one that you have taken. What nobody has is left as it is; what another has, or is done, exits with 11.`
	cmd.Example = "  handoff release 134327a8 --operator ben --note 'waiting for the keys'"
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log")
	return cmd
}

func doneCommand(a *app) *cobra.Command {
	var reply, name string
	var text []byte
	act, undo := handoff.ActDone, false
	in := cli.Input{App: a.App}
	cmd, who := a.actCommand(&act, func(id, operator string) (func(handoff.ActReceipt) error, error) {
		if reply == "" {
			return nil, nil
		}
		return replyTo(&in, id, operator, name, text)
	})
	cmd.Use, cmd.Short = "done ID", "End a handoff: what it asks for is done"
	cmd.Long = `End a handoff, and mark it as read. @ is the one that you have taken. It need not be taken before; what another
has taken or ended exits with 11. With --reply the text of a file, or of standard input, is stored as its answer then,
as reply does; the same text again is the same answer.

--undo opens a handoff again that you have ended, or that you have sent: it can be taken, and ended once more.`
	cmd.Example = "  handoff done @ --note 'merged as 1f3c2aa'\n  handoff done 134327a8 --reply answer.md\n  handoff done --undo 134327a8"
	cmd.Flags().StringVar(&who.Reason, "note", "", "what came of it (`text`), for the audit log")
	cmd.Flags().StringVar(&reply, "reply", "", "answer it with the text of this `file`, or - for standard input")
	cmd.Flags().BoolVar(&undo, "undo", false, "open it again")
	cli.Exclusive(cmd, "note", "reply")
	cli.Exclusive(cmd, "undo", "reply")
	cli.Before(cmd, func(given func(string) bool) (err error) {
		if undo {
			act = handoff.ActReopen
		}
		if given("reply") { // before anything is done
			name, text, err = in.Answer(reply)
		}
		return err
	})
	return cmd
}

func withdrawCommand(a *app) *cobra.Command {
	who, offline := new(handoff.Consumption), false
	cmd := &cobra.Command{
		Use:   "withdraw ID",
		Short: "Take back a handoff of yours that nobody has read",
		Long: `Take back a handoff that you have sent, before anybody has read or taken it. It is in no list then but with --all
and --state withdrawn; the audit log keeps what was written. A handoff that was read or taken is refused with 2:
supersede it with a newer one. A take that came first, in another clone, wins: then the exit code is 11.

` + "`handoff done --undo ID`" + ` sends it again.`,
		Example:           "  handoff withdraw 134327a8\n  handoff withdraw 134327a8 --note 'sent to the wrong ben'",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			p, s, err := a.OnceStore(offline)
			if err != nil {
				return err
			}
			if who.Operator, err = a.Acting(p, s, who.Operator, ids...); err != nil {
				return err
			}
			ctx, stop := a.Stoppable()
			defer stop()
			got, err := s.Withdraw(ctx, ids[0], *who)
			if err != nil {
				return err
			}
			return a.PrintAct(s, got)
		},
	}
	a.OperatorFlag(cmd, &who.Operator)
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log")
	cmd.Flags().BoolVar(&offline, "offline", false, cli.OfflineUsage)
	return cmd
}

// replyTo returns what stores a text as the answer to a handoff that its operator has ended. A text that would be refused is
// refused here, before anything is ended.
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
	before.At = e.Time // the time of the end is not known yet
	source, err := before.Text(name, text)
	if err != nil {
		return nil, err
	}
	results, err := s.TryGood([]handoff.Source{source})
	if err == nil {
		err = handoff.Faults(results)
	}
	return func(done handoff.ActReceipt) error {
		in.At = done.Time // so that the repeat is the same handoff
		source, err := in.Text(name, text)
		if err != nil {
			return err
		}
		return in.Write([]handoff.Source{source}, false, nil)
	}, err
}

func constant(act handoff.Act) *handoff.Act { return &act }

// actCommand is a command that does an act with handoffs, which flags may change. first, nil for none, looks at what is asked for, and may return what
// follows on the act.
func (a *app) actCommand(act *handoff.Act, first func(id, operator string) (then func(handoff.ActReceipt) error, err error)) (*cobra.Command, *handoff.Consumption) {
	who, offline := new(handoff.Consumption), false
	filing := *act == handoff.ActArchive // which every clone may do
	cmd := &cobra.Command{
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			p, s, err := a.OnceStore(offline)
			if err != nil {
				return err
			}
			if who.Operator, err = a.Acting(p, s, who.Operator, ids...); err != nil {
				return err
			}
			if *act == handoff.ActDone || *act == handoff.ActRelease {
				if ids[0], err = takenBy(s, ids[0], who.Operator); err != nil {
					return err
				}
			}
			if *act == handoff.ActTake {
				who.Session = a.Session(who.Session)
			}
			if filing { // several, which are all there before anything is done
				if ids, err = cli.WholeIDs(s, ids); err != nil {
					return err
				}
			}
			var then func(handoff.ActReceipt) error
			if first != nil {
				if then, err = first(ids[0], who.Operator); err != nil {
					return err
				}
			}
			ctx, stop := a.Stoppable()
			defer stop()
			for _, id := range ids {
				got, err := s.Act(ctx, *act, id, *who)
				if err == nil {
					err = a.PrintAct(s, got)
				}
				if err == nil && then != nil {
					err = then(got)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	if a.OperatorFlag(cmd, &who.Operator); filing {
		cmd.Args = cli.Args(cobra.MinimumNArgs(1))
	} else {
		cmd.Flags().BoolVar(&offline, "offline", false, cli.OfflineUsage)
	}
	return cmd, who
}

// takenBy returns the id of the one handoff that an operator has taken where @ stands for it; another name stays.
func takenBy(s *handoff.Store, name, operator string) (string, error) {
	if name != "@" {
		return name, nil
	}
	taken, err := s.List(handoff.Filter{State: handoff.StateTaken})
	if err != nil {
		return "", err
	}
	var ids []string
	for _, e := range taken {
		if s.Lifecycle().Of(e.ID).Take.Holds().Operator == operator {
			ids = append(ids, e.ID)
		}
	}
	switch len(ids) {
	case 0:
		return "", cli.Invalid("name the handoff, or take one: `handoff next --take`", "@ is the handoff that you have taken, and %s has taken none", fault.Own(operator))
	case 1:
		return ids[0], nil
	}
	return "", cli.Invalid("name one of them", "@ is the handoff that you have taken, and %s has taken %d: %s", fault.Own(operator), len(ids), fault.Some(ids))
}
