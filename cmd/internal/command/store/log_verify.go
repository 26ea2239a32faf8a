package store

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func verifyLog(a *cli.App, f *verifyFlags, ids []string) error {
	if len(ids) > 0 {
		return cli.Invalid("remove one", "--log conflicts with ids")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if f.Expect != "" {
		expected, err := handoff.ParseCheckpoint(f.Expect)
		if err == nil {
			err = s.AuditLog().Check(expected)
		}
		if err != nil {
			return notContained(f.Expect, err)
		}
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	if err := a.Show(report, ""); err != nil {
		return err
	}
	return endReport(a, report)
}

// notContained adds to an integrity error that the log does not contain a head.
func notContained(what string, err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return fault.Integrity("", "the audit log does not contain %s: %v", what, err)
}
