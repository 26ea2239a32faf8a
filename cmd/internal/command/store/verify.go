package store

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type verifyFlags struct {
	Log    bool
	Expect string
}

func verifyCommand(a *cli.App) *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use:   "verify [ID… | --log]",
		Short: "Check that everything is as it was stored",
		Long: `Check that everything is as it was stored. verify computes the ids from the
files, the rows from the documents and the events from the rows. It also checks
the hash chain of the audit log, read marks and leftover files. It shows the
place of every fault, and changes nothing. With ids it checks only these
handoffs.

A hash chain alone does not show that its end was cut, or that the whole log
was rewritten. --log finds both. With --expect it compares the log with a head
that you kept from ` + "`log --head`" + `.

Exit codes: 6 there are faults.`,
		Example: `  handoff verify --quiet && echo nothing lost
  handoff verify --log --expect "$(cat head.txt)"`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return verify(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Log, "log", false, "also compare the audit log with a head that you kept")
	flags.StringVar(&f.Expect, "expect", "", "with --log: the `count:hash` from an earlier log --head")
	cli.Needs(cmd, "expect", "log")
	return cmd
}

func verify(a *cli.App, f *verifyFlags, ids []string) error {
	cli.CollectOften()
	if f.Log {
		return verifyLog(a, f, ids)
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	report, err := s.Verify(context.Background(), ids...)
	if err = printReport(a, report, err); err == nil && report.Handoffs == 0 {
		a.NoteNothing("no handoffs here yet")
	}
	return err
}

// printReport prints the result of a verification.
func printReport(a *cli.App, r handoff.Report, err error) error {
	if err == nil {
		err = a.Show(r, "")
	}
	if err == nil {
		err = endReport(a, r)
	}
	return err
}

// endReport prints the warnings of a report, and returns its faults as an error.
func endReport(a *cli.App, r handoff.Report) error {
	for _, w := range fault.Lines(r.Warnings, handoff.Finding.String) {
		a.Note("warning: " + w)
	}
	if err := r.Err(); err != nil {
		return err
	}
	noteWhole(a, r)
	return nil
}

func noteWhole(a *cli.App, r handoff.Report) {
	others := ""
	if r.Others > 0 {
		others = fmt.Sprintf(" (%d came from others)", r.Others)
	}
	a.Note(handoff.Count(r.Handoffs, "handoff") + others + ", " + handoff.Count(r.Events, "event") + ", " +
		handoff.Count(len(r.Warnings), "warning") + ": all as written")
}
