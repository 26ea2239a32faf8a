package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

type resumeFlags struct {
	checks
	*cli.Who
	*cli.Session
	Accept, Undo bool
	Reason       string
}

func resumeCommand(a *cli.App) *cobra.Command {
	f := &resumeFlags{Who: &a.Who, Session: &a.Session}
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Resume work from a packet; its token works once",
		Long: `Resume work from a packet. resume checks the packet, uses up its resume token,
takes it, marks it as read, and prints what to do next. If the check finds a
fault, nothing happens, and only the report is printed. A person at a terminal
can accept an OPERATIONAL packet with --accept and --reason.

A token works once: if several operators resume at once, one of them succeeds;
the others exit with 11. The holder can run the command again. After a release
or the end of a session, go on with handoff take ID, or with a new packet:
handoff create --kind packet --after ID.

Exit codes: 3 --accept without a terminal, 10 OPERATIONAL, 11 CRITICAL or
resumed before.`,
		Example: `  handoff resume 134327a8
  handoff resume 134327a8 --max-age 7d`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return resume(a, f, args) },
	}
	flags := cmd.Flags()
	f.checks.declare(flags)
	f.Session.Declare(flags)
	flags.BoolVar(&f.Accept, "accept", false, "resume from an OPERATIONAL packet too, at a terminal (with --reason)")
	flags.StringVar(&f.Reason, "reason", "", "with --accept: why (`text`), for the audit log")
	flags.BoolVar(&f.Undo, "undo", false, "give the work back; the token stays used")
	cli.Conflicts(cmd, "undo", "accept")
	return cmd
}

// resume resumes the work of a packet.
func resume(a *cli.App, f *resumeFlags, ids []string) error {
	if f.Undo {
		return perform(a, handoff.ActRelease, ids, handoff.Who{Session: a.SessionID()})
	}
	a.ForAgents = true
	if f.Accept && !a.CanAsk() {
		return fault.Denied("run it at a terminal, or ask for a new packet", "--accept is for people at a terminal")
	}
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	r := handoff.Request{ID: ids[0], Accept: f.Accept, Reason: f.Reason}
	if r.Checking, err = f.with(a, p); err != nil {
		return err
	}
	if r.Operator, err = a.Acting(p, s, f.Operator, r.ID); err != nil {
		return err
	}
	done, err := s.Resume(context.Background(), r)
	if refusal, is := errors.AsType[*handoff.Refusal](err); is {
		return errors.Join(printReports(a, []kinds.Report{refusal.Report}, f.ASCII), err)
	}
	if err != nil {
		return err
	}
	a.Committed()
	return a.Show(done, done.Text())
}
