package whole

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func verifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "verify [ID…]",
		Long: `Derive everything again: ids from files, rows from documents, events from rows, the hash chain of the
audit log, read marks, leftovers and permissions. Every fault is named with its place. Nothing is
changed. With ids it looks at these handoffs alone.`,
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			everyday.CollectOften()
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
