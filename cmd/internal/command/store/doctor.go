package store

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type doctorFlags struct {
	Repair       bool
	RebuildIndex bool
}

func doctorCommand(a *cli.App) *cobra.Command {
	f := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [--repair | --rebuild-index]",
		Short: "Find faults; --repair repairs them",
		Long: `Verify the store, and show for each fault how to fix it. Without flags nothing
is changed.

--repair repairs what it can. It restores lost rows, read marks and events,
adds good handoffs that have no row, normalizes INDEX.md, and moves files that
cannot be verified to quarantine. --rebuild-index makes a new INDEX.md from the
files and the audit log; your own notes in it stay.

Nothing is thrown away: a backup with a timestamp stays next to every file that
is replaced or moved. With --json both flags print two lines: what was done,
and the report of verify after it.

Exit codes: 6 there are faults.`,
		Example: `  handoff doctor
  handoff doctor --repair`,
		RunE: func(_ *cobra.Command, _ []string) error { return doctor(a, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Repair, "repair", false, "repair what can be repaired")
	flags.BoolVar(&f.RebuildIndex, "rebuild-index", false, "make a new INDEX.md from the files and the "+
		"audit log")
	cli.Conflicts(cmd, "repair", "rebuild-index")
	return cmd
}

func doctor(a *cli.App, f *doctorFlags) error {
	cli.CollectOften()
	s, err := a.Store()
	if err != nil {
		return err
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
	for _, line := range all.Done {
		a.Note(line)
	}
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
