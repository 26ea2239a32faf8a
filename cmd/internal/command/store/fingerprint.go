package store

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// machineCommand says which machine the store belongs to, and moves it to this one.
func machineCommand(a *app) *cobra.Command {
	return cli.Below(&cobra.Command{Use: "machine", Short: "Say which machine the store belongs to, or move it to this one"}, &cobra.Command{
		Use: "show", Short: "Print the recorded fingerprint and that of this machine", Args: cli.Args(cobra.NoArgs),
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
	line := map[bool]string{true: "belongs to this machine", false: "belongs to another machine than this one"}[recorded.Fingerprint == observed]
	return a.Tell(map[string]any{"recorded": recorded, "observed": observed, "same": recorded.Fingerprint == observed}, s.Dir()+" "+line)
}

func regenerateCommand(a *app) *cobra.Command {
	var reason, operator string
	var yes bool
	cmd := &cobra.Command{
		Use:   "regenerate --reason TEXT",
		Short: "Make this machine the store's, and record who wanted that and why",
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
				return cli.Invalid("give --reason", "why the store is to belong to another machine has to be recorded")
			}
			if !yes && !a.Confirm("Make this machine the one that "+s.Dir()+" belongs to?") {
				return cli.Invalid("answer y, or use --yes", "nothing was changed")
			}
			record, err := s.Maintenance().Regenerate(context.Background(), operator, reason)
			if err != nil {
				return err
			}
			return a.Did(record, s.Dir()+" belongs to this machine now")
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().StringVar(&reason, "reason", "", "why (`text`)")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask on a terminal")
	return cmd
}
