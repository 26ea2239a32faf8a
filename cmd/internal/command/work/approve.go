package work

import (
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type approveFlags struct {
	*cli.Who
	Reject    bool
	Note, Key string
}

// approve asks at a terminal, and approves or rejects.
func approve(a *cli.App, f *approveFlags, ids []string) error {
	act, verb, again := handoff.ActApprove, "Approve", "approve"
	if f.Reject {
		act, verb, again = handoff.ActReject, "Reject", "approve --reject"
	}
	p, s, err := a.StoreWith(func(p *handoff.Project) {
		p.Options.SignApproval = func(text []byte) ([]byte, error) {
			return cli.SignAs(a, *p, f.Key, handoff.ApprovalNamespace, text)
		}
	})
	if err != nil {
		return err
	}
	who := handoff.Consumption{Reason: f.Note}
	if who.Operator, err = a.Acting(p, s, f.Operator, ids...); err != nil {
		return err
	}
	e, err := s.Find(ids[0])
	if err != nil {
		return err
	}
	if name := agent.Inside(a.Getenv); name != "" {
		return fault.Denied("run it in a terminal of your own", "this is a session of %s; only a person can %s", name,
			act)
	}
	if !a.CanAsk() {
		return fault.Denied("run `handoff "+again+" "+e.ID+"` there", "%s needs a person at a terminal", fault.Own(act))
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
	return printAct(a, s, done)
}
