package store

import (
	"cmp"
	"context"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type doctorFlags struct {
	Repair       bool `not:"rebuild-index"`
	RebuildIndex bool
}

func doctor(a *cli.App, f *doctorFlags, _ []string) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	if text := cli.SyncStatus(p, s, nil, true); text != "" {
		a.Note(text)
	}
	if f.Repair || f.RebuildIndex {
		return repair(a, s, f.RebuildIndex)
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	return printDiagnosis(a, report)
}

// printDiagnosis prints each finding with its fix, and returns an error if there are faults.
func printDiagnosis(a *cli.App, r handoff.Report) error {
	lines := append(fault.Lines(r.Faults, func(f handoff.Finding) string {
		f.Remedy = cmp.Or(f.Remedy, "look at the file, or restore it from a backup")
		return withRemedy(f)
	}), fault.Lines(r.Warnings, withRemedy)...)
	if err := a.Show(r, strings.Join(append(lines, ""), "\n")); err != nil {
		return err
	}
	if n := len(r.Faults); n > 0 {
		return fault.Integrity("", "%s found; nothing was changed", handoff.Count(n, "fault"))
	}
	noteWhole(a, r)
	return nil
}

// withRemedy returns a finding, and its fix on a line of its own.
func withRemedy(f handoff.Finding) string {
	text := handoff.EscapeLine(f.String())
	if f.Remedy != "" {
		text += "\n  to fix it: " + handoff.EscapeLine(f.Remedy)
	}
	return text
}

func repair(a *cli.App, s *handoff.Store, rebuild bool) error {
	ctx, repair := context.Background(), s.Maintenance().Repair
	if rebuild {
		repair = s.Maintenance().RebuildIndex
	}
	all, err := repair(ctx)
	notes(a, all.Done)
	a.Committed()
	if a.JSON {
		err = cmp.Or(a.PrintJSON(all), err)
	}
	if err != nil {
		return err
	}
	report, err := s.Verify(ctx)
	return printReport(a, report, err)
}
