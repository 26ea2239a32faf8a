package work

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func approveCommand(a *app) *cobra.Command {
	var who handoff.Consumption
	reject := false
	cmd := &cobra.Command{
		Use: "approve ID",
		Long: `Approve a handoff that needs an approval, so that others can take it. A handoff
needs one if it has the reference approve:required, or if a policy of
OPERATORS.md requires it. Until then you can read and list it, but nobody can
take, finish or resume it, and agents are not shown it.

--reject forbids it for good, even if it was approved before. The sender can
write a new handoff.

You need a terminal and the capability approve, and must not be the sender. If
OPERATORS.md or the pins list keys of yours, the approval is signed. It proves
that someone with your account decided at a terminal. It proves that this was a
person only if agents do not hold the signing key. See ` + "`" + `handoff help approval` + "`" + `,
and ` + "`" + `handoff help operators` + "`" + ` for policies.

Exit codes: 3 not allowed, or no terminal.`,
		Example: "  handoff approve 134327a8\n" +
			"  handoff approve 134327a8 --note 'read with ann' --key ~/.ssh/id_ed25519\n" +
			"  handoff approve --reject 134327a8 --note 'the branch is frozen'",
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
	cmd.Flags().BoolVar(&reject, "reject", false, "reject the handoff, for good")
	cmd.Flags().StringVar(&who.Reason, "note", "", "the reason (`text`), for the sender and the audit log")
	cmd.Flags().StringVar(&a.Sign.Key, "key", "",
		"the `file` of your private key, or of the public key if ssh-agent has the private one")
	return cmd
}

// words are the commands that decide.
var words = map[handoff.Act]string{handoff.ActApprove: "approve", handoff.ActReject: "approve --reject"}

// decide asks at a terminal, and approves or rejects.
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
		return cli.Denied("run it in a terminal of your own", "this is a session of %s; only a person can %s", name,
			act)
	}
	if !a.CanAsk() {
		return cli.Denied("run `handoff "+words[act]+" "+e.ID+"` there", "%s needs a person at a terminal",
			fault.Own(act))
	}
	if err := s.Lifecycle().CanAct(act, e, who); err != nil {
		return err
	}
	title := s.ListedOne(e).Title
	if !a.Confirm(fmt.Sprintf("%s %s, %q from %s to %s about %s (%s), as %s?", verb, e.ID, title, e.From, e.To, e.Topic,
		e.Time, who.Operator)) {
		return cli.Invalid("", "nothing was decided")
	}
	ctx, stop := a.Stoppable()
	defer stop()
	done, err := s.Act(ctx, act, e.ID, who)
	if err != nil {
		return err
	}
	return a.printAct(s, done)
}
