package store

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// machineCommand returns the command that shows which machine the store belongs to, and moves it to this one.
func machineCommand(a *app) *cobra.Command {
	return cli.Below(&cobra.Command{Use: "machine",
		Short: "Show which machine the store belongs to, or move it to this one"}, &cobra.Command{
		Use: "show", Short: "Compare the recorded fingerprint with that of this machine", Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.showFingerprint() },
	}, regenerateCommand(a))
}

func (a *app) showFingerprint() error {
	s, err := a.Store()
	if err != nil {
		return err
	}
	recorded, observed, err := s.Maintenance().Machine()
	if err != nil {
		return err
	}
	line := map[bool]string{true: "belongs to this machine",
		false: "belongs to another machine"}[recorded.Fingerprint == observed]
	return a.Tell(map[string]any{"recorded": recorded, "observed": observed, "same": recorded.Fingerprint == observed},
		s.Dir()+" "+line)
}

func regenerateCommand(a *app) *cobra.Command {
	var reason, operator string
	var yes bool
	cmd := &cobra.Command{
		Use:   "regenerate --reason TEXT",
		Short: "Make the store belong to this machine, and record why",
		Args:  cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, s, err := a.ProjectStore()
			if err != nil {
				return err
			}
			if operator, err = a.Acting(p, s, operator); err != nil {
				return err
			}
			if reason == "" {
				return cli.Invalid("add --reason TEXT for the audit log", "no reason")
			}
			if !yes && !a.Confirm("Make "+s.Dir()+" belong to this machine?") {
				return cli.Invalid("answer y, or add --yes", "nothing was changed")
			}
			record, err := s.Maintenance().Regenerate(context.Background(), operator, reason)
			if err != nil {
				return err
			}
			return a.Did(record, s.Dir()+" now belongs to this machine")
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().StringVar(&reason, "reason", "", "the reason (`text`), for the audit log")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask on a terminal")
	return cmd
}
