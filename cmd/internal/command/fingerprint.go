package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

func machineFingerprintShowCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Compare the recorded fingerprint with that of this machine",
		Example: `  handoff machine-fingerprint show`,
		RunE:    func(_ *cobra.Command, _ []string) error { return showMachine(a) },
	}
}

// showMachine shows which machine the store belongs to.
func showMachine(a *cli.App) error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	recorded, observed, err := s.Maintenance().Machine()
	if err != nil {
		return err
	}
	line := map[bool]string{true: "belongs to this machine",
		false: "belongs to another machine"}[recorded.Knows(observed)]
	return a.Tell(map[string]any{"recorded": recorded, "observed": observed, "same": recorded.Knows(observed)},
		s.Dir()+" "+line)
}

type regenerateFlags struct {
	*cli.Who
	Reason string
	Add    bool
	Yes    bool
}

func machineFingerprintRegenerateCommand(a *cli.App) *cobra.Command {
	f := &regenerateFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:     "regenerate --reason TEXT",
		Short:   "Make the store belong to this machine, and record why",
		Example: `  handoff machine-fingerprint regenerate --reason 'moved to a new laptop'`,
		RunE:    func(_ *cobra.Command, _ []string) error { return regenerate(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Reason, "reason", "", "the reason (`text`), for the audit log")
	flags.BoolVar(&f.Add, "add", false, "keep the machines that it has: for a host and its containers")
	flags.BoolVar(&f.Yes, "yes", false, "do not ask on a terminal")
	return cmd
}

// regenerate makes the store belong to this machine.
func regenerate(a *cli.App, f *regenerateFlags) error {
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	operator, err := a.Acting(p, s, f.Operator)
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return cli.Invalid("add --reason TEXT for the audit log", "no reason")
	}
	if !f.Yes && !a.Confirm("Make "+s.Dir()+" belong to this machine?") {
		return cli.Invalid("answer y, or add --yes", "nothing was changed")
	}
	record, err := s.Maintenance().Regenerate(context.Background(), operator, f.Reason, f.Add)
	if err != nil {
		return err
	}
	return a.Did(record, s.Dir()+" now belongs to this machine")
}
