package store

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command/agents"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func doctorCommand(a *app) *cobra.Command {
	var repair, rebuild bool
	cmd := &cobra.Command{
		Use: "doctor [--repair | --rebuild-index]",
		Long: `Verify the store, and show for each fault how to fix it. Without flags nothing
is changed.

--repair repairs what it can. It restores lost rows, read marks and events,
adds good handoffs that have no row, normalizes INDEX.md, and moves files that
cannot be verified to quarantine. If the project was synced, it also restores
the log and the handoffs that were exchanged. --rebuild-index makes a new
INDEX.md from the files and the audit log; your own notes in it stay.

Nothing is thrown away: a backup with a timestamp stays next to every file that
is replaced or moved. With --json both flags print two lines: what was done,
and the report of verify after it.

Exit codes: 6 there are faults.`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cli.CollectOften()
			a.AsIs = true
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if text := cli.SyncStatus(p, s, true); text != "" {
				a.Note(text)
			}
			if err := a.noteWorkTrees(&p); err != nil {
				return err
			}
			if repair || rebuild {
				return a.repair(&p, s, rebuild)
			}
			report, err := s.Verify(context.Background())
			if err != nil {
				return err
			}
			return a.printDiagnosis(report)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&rebuild, "rebuild-index", false, "make a new INDEX.md from the files and the audit log")
	cli.Exclusive(cmd, "repair", "rebuild-index")
	cmd.AddCommand(agents.DoctorHookCommand(a.App), machineCommand(a))
	return cmd
}

// noteWorkTrees names the work trees whose replicas have handoffs that this store lacks.
func (a *app) noteWorkTrees(p *handoff.Project) error {
	unimported, err := exchange.Unimported(p)
	for _, root := range slices.Sorted(maps.Keys(unimported)) {
		a.Note("the work tree " + root + " has a store of its own, with " + handoff.Count(unimported[root], "handoff") +
			" that this store lacks: the next command that reads or writes handoffs imports them")
	}
	return err
}

// printDiagnosis prints each finding with its fix.
func (a *app) printDiagnosis(r handoff.Report) error {
	if a.JSON {
		if err := a.PrintJSON(r); err != nil {
			return err
		}
		return a.endDiagnosis(r)
	}
	lines := append(fault.Lines(r.Faults, func(f handoff.Finding) string {
		f.Remedy = cmp.Or(f.Remedy, "look at the file, or restore it from a backup")
		return withRemedy(f)
	}), fault.Lines(r.Warnings, withRemedy)...)
	for _, line := range lines {
		if _, err := io.WriteString(a.Stdout, line+"\n"); err != nil {
			return err
		}
	}
	return a.endDiagnosis(r)
}

// withRemedy returns a finding, and its fix on a line of its own.
func withRemedy(f handoff.Finding) string {
	text := handoff.EscapeLine(f.String())
	if f.Remedy != "" {
		text += "\n  to fix it: " + handoff.EscapeLine(f.Remedy)
	}
	return text
}

// endDiagnosis returns an error if there are faults. It runs after all findings were printed.
func (a *app) endDiagnosis(r handoff.Report) error {
	if n := len(r.Faults); n > 0 {
		return fault.New(fault.ErrIntegrity, "", "%s found; nothing was changed", handoff.Count(n, "fault"))
	}
	a.noteWhole(r)
	return nil
}

func (a *app) repair(p *handoff.Project, s *handoff.Store, rebuild bool) error {
	back, err := exchange.RestoreLost(context.Background(), s, a.Remote(*p))
	a.notes(back)
	if err != nil {
		return err
	}
	repair := s.Maintenance().Repair
	if rebuild {
		repair = s.Maintenance().RebuildIndex
	}
	done, err := repair(context.Background())
	a.Committed()
	if a.JSON {
		if jsonErr := a.PrintJSON(done); jsonErr != nil {
			return jsonErr
		}
	}
	a.notes(done.Done)
	if err != nil {
		return err
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	return a.printReport(report)
}
