package everyday

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func takeCommand(a *App) *cobra.Command {
	cmd, who := a.actCommand(handoff.ActTake, cobra.ExactArgs(1))
	cmd.Use, cmd.Short = "take ID", "Claim a handoff for one person or session, and mark it as read"
	cmd.Long = `Claim a handoff for one person or one session of an agent, and mark it as read. Of any number that
take it at once exactly one succeeds; the others exit with 11 and are told who has it since when.
The same operator and session again is "existing", and exits with 0. A packet whose work was
resumed is taken by who resumed it.

In a store that has synced, exactly one in all clones: the git remote lets one in. Where it cannot be reached
the command exits with 1, unless --offline is given; see ` + "`handoff help git`" + `.`
	cmd.Example = "  handoff take 134327a8 --operator ben\n  handoff take 134327a8 --session s-17"
	cmd.Flags().StringVar(&who.Session, "session", "", "take it for this `session` of an agent alone")
	return cmd
}

func releaseCommand(a *App) *cobra.Command {
	cmd, who := a.actCommand(handoff.ActRelease, cobra.ExactArgs(1))
	cmd.Use, cmd.Short = "release ID", "Give a handoff back, so that it can be taken again"
	cmd.Long = `Give back a handoff that the operator has taken, from whatever session. It can be taken again then. What nobody
has is left as it is; what another has, or is done, exits with 11.`
	cmd.Example = "  handoff release 134327a8 --operator ben --note 'waiting for the keys'"
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log")
	return cmd
}

func doneCommand(a *App) *cobra.Command {
	cmd, who := a.actCommand(handoff.ActDone, cobra.ExactArgs(1))
	cmd.Use, cmd.Short = "done ID", "End a handoff: what it asks for is done"
	cmd.Long = `End a handoff for good, and mark it as read. It need not be taken before; what another has taken or
ended exits with 11. With --reply the text of a file, or of standard input, is stored as its answer then, as reply
does.`
	cmd.Example = "  handoff done 134327a8 --operator ben --note 'merged as 1f3c2aa'"
	cmd.Flags().StringVar(&who.Reason, "note", "", "what came of it (`text`), for the audit log")
	reply := ""
	cmd.Flags().StringVar(&reply, "reply", "", "answer it with the text of this `FILE|-`")
	Exclusive(cmd, "note", "reply")
	end := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		if reply == "" {
			return end(cmd, ids)
		}
		in := input{App: a}
		name, text, err := in.answer(reply)
		if err == nil {
			err = end(cmd, ids)
		}
		if err != nil {
			return err
		}
		return a.replyTo(in, ids[0], who.Operator, name, text)
	}
	return cmd
}

// replyTo stores a text as the answer to a handoff, written when that was ended: the same again is the same answer.
func (a *App) replyTo(in input, id, operator, name string, text []byte) error {
	_, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	got, err := s.Read(id)
	if err != nil {
		return err
	}
	doc := handoff.Reply(got.Entry, operator)
	in.fields = Fields{From: doc.From, To: doc.To, Topic: doc.Topic, References: doc.References}
	in.at = s.LifeOf(got.Entry.ID).Done.Time
	source, err := in.text(name, text)
	if err != nil {
		return err
	}
	return a.Write([]handoff.Source{source}, false, nil)
}

// became says for people what an act has made of a handoff.
var became = map[handoff.Act]string{handoff.ActTake: "is taken", handoff.ActRelease: "is given back", handoff.ActDone: "is done", handoff.ActArchive: "is archived",
	handoff.ActUnarchive: "is brought back", handoff.ActApprove: "is approved", handoff.ActReject: "is rejected"}

// PrintAct prints what was done: a line on a terminal, JSON elsewhere. That it is of no use any more is a note.
func (a *App) PrintAct(got handoff.ActReceipt) (err error) {
	a.Committed()
	id := Short(got.ID, shortest)
	if a.forPeople() {
		line := fmt.Sprintf("%s %s by %s", id, became[got.Act], got.Operator)
		if got.Status == handoff.StatusExisting {
			line += ", since " + got.Time
		}
		_, err = fmt.Fprintln(a.Stdout, handoff.EscapeLine(line))
	} else {
		err = a.PrintJSON(got)
	}
	if got.State == "" {
		return err
	}
	note := id + " is " + got.State
	for i, by := range got.Successors {
		note += []string{" by ", " and by "}[min(i, 1)] + Short(by, shortest)
	}
	a.Note(note + ": `handoff check " + id + "` says more")
	return err
}

// actCommand is a command that does an act with handoffs.
func (a *App) actCommand(act handoff.Act, args cobra.PositionalArgs) (*cobra.Command, *handoff.Consumption) {
	who, offline := new(handoff.Consumption), false
	cmd := &cobra.Command{
		Args:              Args(args),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			p, s, err := a.OnceStore(offline)
			if err != nil {
				return err
			}
			if who.Operator, err = a.Acting(p, who.Operator); err != nil {
				return err
			}
			for _, id := range ids {
				got, err := s.Act(context.Background(), act, id, *who)
				if err != nil {
					return err
				}
				if err := a.PrintAct(got); err != nil {
					return err
				}
			}
			return nil
		},
	}
	a.OperatorFlag(cmd, &who.Operator)
	if act != handoff.ActArchive && act != handoff.ActUnarchive {
		cmd.Flags().BoolVar(&offline, "offline", false, OfflineUsage)
	}
	return cmd, who
}
