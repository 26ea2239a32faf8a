package store

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func verifyCommand(a *app) *cobra.Command {
	var p proof
	log := false
	cmd := &cobra.Command{
		Use:   "verify [ID… | --log]",
		Short: "Check that everything is as it was stored; exits with 6 if not",
		Long: `Derive everything again: ids from files, rows from documents, events from rows, the hash chain of the
audit log, read marks, leftovers and permissions. Every fault is named with its place. Nothing is
changed. With ids it looks at these handoffs alone.

A chain alone cannot show that its end was cut, or that all of it was written again. With --log, --expect finds both
if you kept what ` + "`log --head`" + ` printed; --allowed-signers finds them by a checkpoint that ` + "`log --sign`" + ` or
ssh-keygen signed: the last one in the state directory, or a copy that was kept elsewhere.`,
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			cli.CollectOften()
			if log {
				return a.verifyLog(p, ids)
			}
			a.AsIs = true
			s, err := a.Store()
			if err != nil {
				return err
			}
			report, err := s.Verify(context.Background(), ids...)
			if err != nil {
				return err
			}
			return a.printReport(report)
		},
	}
	cmd.Flags().BoolVar(&log, "log", false, "compare the audit log with what was kept of it, too")
	cmd.Flags().StringVar(&p.expect, "expect", "", "with --log: the `count:hash` that log --head printed before")
	cmd.Flags().StringVar(&p.allowed, "allowed-signers", "", "with --log: require a checkpoint signed by one of these (`file`, as ssh-keygen has it)")
	cmd.Flags().StringVar(&p.checkpoint, "checkpoint", "", "with --log: the checkpoint (`file`), with its signature in FILE.sig (default the last one that was kept)")
	for _, flag := range []string{"expect", "allowed-signers", "checkpoint"} {
		cli.Needs(cmd, flag, "log")
	}
	return cmd
}

func (a *app) printReport(r handoff.Report) error {
	if a.JSON {
		if err := a.PrintJSON(r); err != nil {
			return err
		}
	}
	return a.endReport(r)
}

// endReport says what a report found, after it was printed.
func (a *app) endReport(r handoff.Report) error {
	for _, w := range fault.Lines(r.Warnings, handoff.Finding.String) {
		a.Note("warning: " + w)
	}
	if err := r.Err(); err != nil {
		return err
	}
	a.noteWhole(r)
	return nil
}

func (a *app) noteWhole(r handoff.Report) {
	others := ""
	if r.Others > 0 {
		others = fmt.Sprintf(" (%d came from others)", r.Others)
	}
	a.Note(handoff.Count(r.Handoffs, "handoff") + others + ", " + handoff.Count(r.Events, "event") + ", " + handoff.Count(len(r.Warnings), "warning") + ": all as written")
}
