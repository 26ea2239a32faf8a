package store

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

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
		Use:   "doctor [--repair | --rebuild-index]",
		Short: "Explain what is wrong with the store and how to fix it; repair it",
		Long: `Verify the store and say for each fault how to mend it. --repair does it: it adds lost rows, read
marks and events, takes in good handoffs that no row lists, normalises INDEX.md, and puts aside what
does not verify. Of a store that was synced it brings back the log that was sent, and handoffs whose
files are gone. --rebuild-index makes INDEX.md anew from the files and the audit log. Notes that you
wrote into it stay as they are. Nothing is thrown away: a file that is replaced or put aside stays
beside, with a timestamp. With --json either prints two lines: what it did, and what verify then says.`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cli.CollectOften()
			a.AsIs = true
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if text := cli.Standing(p, s, true); text != "" {
				a.Note(text)
			}
			if err := a.noteBeside(&p); err != nil {
				return err
			}
			if repair || rebuild {
				return a.mend(&p, s, rebuild)
			}
			report, err := s.Verify(context.Background())
			if err != nil {
				return err
			}
			return a.printDiagnosis(report)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what can be mended")
	cmd.Flags().BoolVar(&rebuild, "rebuild-index", false, "make INDEX.md anew from the files and the audit log")
	cli.Exclusive(cmd, "repair", "rebuild-index")
	cmd.AddCommand(agents.DoctorHookCommand(a.App), machineCommand(a))
	return cmd
}

// noteBeside names the work trees whose replicas hold what this store lacks.
func (a *app) noteBeside(p *handoff.Project) error {
	unimported, err := exchange.Unimported(p)
	for _, root := range slices.Sorted(maps.Keys(unimported)) {
		a.Note("the work tree " + root + " has a replica of its own, with what is not here (" + handoff.Count(unimported[root], "handoff") +
			"): a command that reads or writes handoffs takes it over")
	}
	return err
}

// printDiagnosis prints each finding with how to mend it.
func (a *app) printDiagnosis(r handoff.Report) error {
	if a.JSON {
		if err := a.PrintJSON(r); err != nil {
			return err
		}
		return a.endDiagnosis(r)
	}
	lines := append(fault.Lines(r.Faults, func(f handoff.Finding) string {
		f.Remedy = cmp.Or(f.Remedy, "look at it yourself, or restore it from a backup")
		return withRemedy(f)
	}), fault.Lines(r.Warnings, withRemedy)...)
	for _, line := range lines {
		if _, err := io.WriteString(a.Stdout, line+"\n"); err != nil {
			return err
		}
	}
	return a.endDiagnosis(r)
}

// withRemedy returns a finding, and on a line of its own how to mend it.
func withRemedy(f handoff.Finding) string {
	text := handoff.EscapeLine(f.String())
	if f.Remedy != "" {
		text += "\n  to mend it: " + handoff.EscapeLine(f.Remedy)
	}
	return text
}

// endDiagnosis says how it ended, after all findings were printed.
func (a *app) endDiagnosis(r handoff.Report) error {
	if n := len(r.Faults); n > 0 {
		return &handoff.Error{Class: handoff.ErrIntegrity, Problem: handoff.Count(n, "fault") + " found; nothing was changed"}
	}
	a.noteWhole(r)
	return nil
}

func (a *app) mend(p *handoff.Project, s *handoff.Store, rebuild bool) error {
	back, err := exchange.BringBack(context.Background(), s, a.Remote(*p))
	for _, line := range back {
		a.Note(line)
	}
	if err != nil {
		return err
	}
	mend := s.Maintenance().Repair
	if rebuild {
		mend = s.Maintenance().RebuildIndex
	}
	done, err := mend(context.Background())
	a.Committed()
	if a.JSON {
		if jsonErr := a.PrintJSON(done); jsonErr != nil {
			return jsonErr
		}
	}
	for _, line := range fault.Lines(done.Done, strings.Clone) {
		a.Note(line)
	}
	if err != nil {
		return err
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	return a.printReport(report)
}
