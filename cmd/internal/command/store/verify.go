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
		Use: "verify [ID… | --log]",
		Long: `Check that everything is as it was stored. verify computes the ids from the
files, the rows from the documents and the events from the rows. It also checks
the hash chain of the audit log, read marks, leftover files and permissions. It
shows the place of every fault, and changes nothing. With ids it checks only
these handoffs.

A hash chain alone does not show that its end was cut, or that the whole log
was rewritten. --log finds both. With --expect it compares the log with a head
that you kept from ` + "`" + `log --head` + "`" + `. With --allowed-signers it compares the log
with a signed head: the last one in the state directory, or your copy
(--checkpoint).

Exit codes: 6 there are faults.`,
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
	cmd.Flags().BoolVar(&log, "log", false, "also compare the audit log with a head that you kept, or a signed one")
	cmd.Flags().StringVar(&p.expect, "expect", "", "with --log: the `count:hash` from an earlier log --head")
	cmd.Flags().StringVar(&p.allowed, "allowed-signers", "",
		"with --log: require a head signed by a key in this `file`, in the format of ssh-keygen")
	cmd.Flags().StringVar(&p.checkpoint, "checkpoint", "",
		"with --log: the `file` of the signed head, its signature in FILE.sig (default: the last one in the state "+
			"directory)")
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

// endReport prints the warnings of a report, and returns its faults as an error.
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
	a.Note(handoff.Count(r.Handoffs, "handoff") + others + ", " + handoff.Count(r.Events, "event") + ", " +
		handoff.Count(len(r.Warnings), "warning") + ": all as written")
}
