package store

import (
	"context"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// showMachine shows which machine the store belongs to.
func showMachine(a *cli.App, _ *cli.None, _ []string) error {
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

type regenerateFlags struct {
	*cli.Who
	Reason string
	Yes    bool
}

// regenerate makes the store belong to this machine.
func regenerate(a *cli.App, f *regenerateFlags, _ []string) error {
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
	record, err := s.Maintenance().Regenerate(context.Background(), operator, f.Reason)
	if err != nil {
		return err
	}
	return a.Did(record, s.Dir()+" now belongs to this machine")
}
