package records

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
)

type resumeFlags struct {
	checks
	cli.Offline
	*cli.Who
	*cli.Session
	Accept string `one:"operational"`
	Reason string
}

// resume resumes the work of a packet.
func resume(a *cli.App, f *resumeFlags, ids []string) error {
	a.ForAgents = true
	r := record.Request{ID: ids[0]}
	r.Session, r.Accept, r.Reason = a.SessionID(), f.Accept, f.Reason
	p, s, err := a.OnceStore(f.Offline)
	if err != nil {
		return err
	}
	if r.Operator, err = a.Acting(p, s, f.Operator, r.ID); err != nil {
		return err
	}
	if r.Checks, err = f.with(a, p); err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	return resumeNow(ctx, a, s, r, f.ASCII)
}

func resumeNow(ctx context.Context, a *cli.App, s *handoff.Store, r record.Request, ascii bool) error {
	done, err := record.Resume(ctx, s, r)
	if refusal, is := errors.AsType[*record.Refusal](err); is {
		if err := printRefusal(a, refusal, ascii); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	a.Committed()
	return a.Show(struct {
		cli.Consumed
		record.Brief
		Report packet.Report `json:"report"`
	}{cli.Consumed(done.Consumption), done.Brief, done.Report}, done.Text())
}

func printRefusal(a *cli.App, r *record.Refusal, ascii bool) error {
	if a.JSON {
		if !r.Again {
			return a.PrintJSON(r.Report)
		}
		return a.PrintJSON(struct {
			packet.Report
			record.Brief
		}{r.Report, r.Brief})
	}
	if err := printReports(a, []packet.Report{r.Report}, ascii); err != nil {
		return err
	}
	return a.Print(r.Text())
}
