package work

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const verdictHelp = `It takes an operator with the capability approve who has not written it, and a
terminal on which the question is answered. Where keys of the operator are known it is signed, as handoff sign does.
What it proves: that somebody with the rights of that account decided, on a terminal; that it was a person only where
it is signed with a key that agents do not hold. What other clones decide comes with sync, and counts under the same
rules. ` + "`handoff help approval`" + ` says more, and ` + "`handoff help operators`" + ` how policies and
capabilities are written.`

func approveCommand(a *app) *cobra.Command {
	var who handoff.Consumption
	reject := false
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Approve or reject a handoff that needs an approval",
		Long: `Let others act on a handoff that needs an approval: since its references say approve:required, or since a policy of
OPERATORS.md does. Until then it can be read, is listed as awaiting, is shown to no agent by itself, and cannot be
taken or resumed from. With --reject nobody takes it or resumes from it any more, also if it was approved before.
That is final; the sender can write another one.

` + verdictHelp,
		Example:           "  handoff approve 134327a8\n  handoff approve 134327a8 --note 'read with ann' --key ~/.ssh/id_ed25519\n  handoff approve --reject 134327a8 --note 'the branch is frozen'",
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if reject {
				return a.decide(handoff.ActReject, "Reject", ids[0], who)
			}
			return a.decide(handoff.ActApprove, "Approve", ids[0], who)
		},
	}
	a.OperatorFlag(cmd, &who.Operator)
	cmd.Flags().BoolVar(&reject, "reject", false, "reject it, for good")
	cmd.Flags().StringVar(&who.Reason, "note", "", "why (`text`), for the audit log and for the sender")
	cmd.Flags().StringVar(&a.Sign.Key, "key", "", "what it is signed with: the private key, or the public key of one that the agent holds (`file`)")
	return cmd
}

// words are those of the command for a decision.
var words = map[handoff.Act]string{handoff.ActApprove: "approve", handoff.ActReject: "approve --reject"}

// decide asks on a terminal, and approves or rejects.
func (a *app) decide(act handoff.Act, verb, id string, who handoff.Consumption) error {
	p, s, err := a.StoreWith(func(p *handoff.Project) {
		p.Options.SignApproval = func(text []byte) ([]byte, error) {
			return sshkey.SignAs(a.App, *p, a.Sign.Key, handoff.ApprovalNamespace, text)
		}
	})
	if err != nil {
		return err
	}
	if who.Operator, err = a.Acting(p, s, who.Operator, id); err != nil {
		return err
	}
	e, err := s.Find(id)
	if err != nil {
		return err
	}
	if name := agent.Inside(a.Getenv); name != "" {
		return cli.Denied("run it in a terminal of your own", "this is a session of %s; who can %s is a person", name, act)
	}
	if !a.CanAsk() {
		return &handoff.Error{Class: handoff.ErrDenied, Problem: "only a person on a terminal can " + string(act), Advice: "run `handoff " + words[act] + " " + e.ID + "` on a terminal"}
	}
	if err := s.Lifecycle().Admits(act, e, who); err != nil {
		return err
	}
	if !a.Confirm(fmt.Sprintf("%s %s, from %s to %s about %s (%s), as %s?", verb, e.ID, e.From, e.To, e.Topic, e.Time, who.Operator)) {
		return cli.Invalid("", "nothing was decided")
	}
	ctx, stop := a.Stoppable()
	defer stop()
	done, err := s.Act(ctx, act, e.ID, who)
	if err != nil {
		return err
	}
	return a.PrintAct(s, done)
}
