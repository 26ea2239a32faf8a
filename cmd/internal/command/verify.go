package command

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type verifyFlags struct {
	Repair bool
	Log    bool
	Expect string
}

func verifyCommand(a *cli.App) *cobra.Command { return newVerify(a, "verify") }

// doctorCommand returns verify by the name that people guess.
func doctorCommand(a *cli.App) *cobra.Command { return newVerify(a, "doctor") }

func newVerify(a *cli.App, name string) *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use:   name + " [ID… | --repair | --log]",
		Short: "Check that all is as it was stored; --repair repairs it",
		Long: `Check that everything is as it was stored. Each fault comes with its place and
the command that ends it.

verify compares each document with its id. It proves the hash chain of the audit
log, and looks for missing files, another machine, and files that git should not
track. With ids it checks only these handoffs. It changes nothing.

--repair throws nothing away. It copies a damaged audit log, and continues its
good beginning. It lists unlisted documents again, and moves changed ones to
.run/kept. What is still missing is recorded as lost.

A hash chain does not show that its end was cut, or that the whole log was
rewritten. --log --expect does: it compares the log with a head that you kept
from ` + "`handoff log --head`" + `.

Exit codes: 6 there are faults.`,
		Example: strings.ReplaceAll(`  handoff verify --quiet && echo nothing lost
  handoff verify --repair
  handoff verify --log --expect "$(cat head.txt)"`, "verify", name),
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return verify(a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Repair, "repair", false, "repair what can be repaired")
	flags.BoolVar(&f.Log, "log", false, "name the first bad line of the audit log")
	flags.StringVar(&f.Expect, "expect", "", "with --log: the `count:hash` from an earlier log --head")
	cli.Needs(cmd, "expect", "log")
	cli.Conflicts(cmd, "repair", "log")
	return cmd
}

func verify(a *cli.App, f *verifyFlags, ids []string) error {
	cli.CollectOften()
	if len(ids) > 0 && (f.Log || f.Repair) {
		return cli.Invalid("remove one", "--log and --repair conflict with ids")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	switch {
	case f.Log:
		err = verifyLog(s, f.Expect)
	case f.Repair:
		err = repair(a, s)
	}
	if err != nil {
		return err
	}
	report, err := s.Verify(context.Background(), ids...)
	if err == nil {
		err = a.Show(report, "")
	}
	if err != nil {
		return err
	}
	for _, w := range fault.Lines(report.Warnings, withRemedy) {
		a.Note("warning: " + w)
	}
	if err := report.Err(); err != nil {
		return err
	}
	a.Note(handoff.Count(report.Handoffs, "handoff") + ", " + handoff.Count(report.Events, "event") + ", " +
		handoff.Count(len(report.Warnings), "warning") + ": all as written")
	return nil
}

// withRemedy returns a finding with the command that ends it.
func withRemedy(f handoff.Finding) string {
	if f.Remedy == "" {
		return f.String()
	}
	return f.String() + "; " + f.Remedy
}

// repair repairs the store, and says what it did.
func repair(a *cli.App, s *handoff.Store) error {
	all, err := s.Maintenance().Repair(context.Background())
	for _, line := range all.Done {
		a.Note(line)
	}
	if err != nil {
		return err
	}
	a.Committed()
	return a.Show(all, "")
}

// verifyLog proves the chain of the log, and compares it with a head, "" for none.
func verifyLog(s *handoff.Store, head string) error {
	var expect *handoff.Head
	if head != "" {
		known, err := handoff.ParseHead(head)
		if err != nil {
			return err
		}
		expect = &known
	}
	err := s.AuditLog().Check(context.Background(), expect)
	if errors.Is(err, handoff.ErrIntegrity) && expect != nil {
		return fault.Integrity("", "the audit log does not contain %s: %v", head, err)
	}
	return err
}
