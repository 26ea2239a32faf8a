package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
)

type resumeFlags struct {
	checks
	*cli.Who
	*cli.Session
	Accept string
	Reason string
}

func resumeCommand(a *cli.App) *cobra.Command {
	f := &resumeFlags{Who: &a.Who, Session: &a.Session}
	cmd := &cobra.Command{
		Use:   "resume ID --operator OP",
		Short: "Resume work from a packet; its token works once",
		Long: `Resume work from a packet. resume checks the packet, uses up its resume token,
takes it, marks it as read, and prints what to do next. Only a CLEAN packet is
resumed, or an OPERATIONAL one with --accept operational and --reason.

A token works once: if several operators resume at once, one of them succeeds;
the others exit with 11. If you run the command again, it prints the next
action again, also with exit code 11.

Exit codes: 10 OPERATIONAL, 11 CRITICAL or resumed before.`,
		Example: `  handoff resume 134327a8 --operator ben
  handoff resume 134327a8 --accept operational --reason 'confirmed by ann'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return resume(a, f, args) },
	}
	flags := cmd.Flags()
	f.checks.declare(flags)
	f.Session.Declare(flags)
	flags.Var(cli.Choice(&f.Accept, "operational"), "accept", "also resume from this `verdict`: operational")
	flags.StringVar(&f.Reason, "reason", "", "with --accept: the reason (`text`), for the audit log")
	return cmd
}

// resume resumes the work of a packet.
func resume(a *cli.App, f *resumeFlags, ids []string) error {
	a.ForAgents = true
	r := record.Request{ID: ids[0]}
	r.Session, r.Accept, r.Reason = a.SessionID(), f.Accept, f.Reason
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	if r.Operator, err = a.Acting(p, s, f.Operator, r.ID); err != nil {
		return err
	}
	if r.Checks, err = f.with(a, p); err != nil {
		return err
	}
	return resumeNow(context.Background(), a, s, r, f.ASCII)
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
	return a.Show(done, done.Text())
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
