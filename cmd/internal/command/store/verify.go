package store

import (
	"context"
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type verifyFlags struct {
	Log    bool
	Expect string `needs:"log"`
}

func verify(a *cli.App, f *verifyFlags, ids []string) error {
	cli.CollectOften()
	if f.Log {
		return verifyLog(a, f, ids)
	}
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	report, err := s.Verify(context.Background(), ids...)
	if err = printReport(a, report, err); err == nil && report.Handoffs == 0 {
		a.NoteNothing(p, s, "no handoffs here yet")
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
