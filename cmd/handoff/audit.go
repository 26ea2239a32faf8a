package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func auditCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check the audit log, or print its head",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return usage(cmd, fmt.Errorf("say verify or head")) },
	}
	var expect string
	verify := &cobra.Command{
		Use:   "verify [--expect COUNT:HASH]",
		Short: "Walk the hash chain and hold it against index and files; exits with 6 at the first bad line",
		Args:  args(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.auditVerify(expect) },
	}
	verify.Flags().StringVar(&expect, "expect", "", "what `audit head` printed before (`count:hash`): the log must contain it")
	cmd.AddCommand(verify, &cobra.Command{
		Use:   "head",
		Short: "Print COUNT:HASH of the log, to keep elsewhere",
		Args:  args(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.auditHead() },
	})
	return cmd
}

func (a *app) auditHead() error {
	s, err := a.store()
	if err != nil {
		return err
	}
	count, hash, err := s.AuditHead()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"count": count, "hash": hash})
	}
	_, err = fmt.Fprintf(a.stdout, "%d:%s\n", count, hash)
	return err
}

func (a *app) auditVerify(expect string) error {
	count, hash, err := parseHead(expect)
	if err != nil {
		return err
	}
	s, err := a.store()
	if err != nil {
		return err
	}
	if expect != "" {
		has, err := s.AuditHas(count, hash)
		if err != nil {
			return err
		}
		if !has {
			return &handoff.Error{Class: handoff.ErrIntegrity, Problem: "the audit log does not contain " + expect + ": its end was cut, or it was rewritten",
				Advice: "compare it with a backup"}
		}
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	return a.printReport(report)
}

func parseHead(text string) (count int, hash string, err error) {
	if text == "" {
		return 0, "", nil
	}
	n, hash, ok := strings.Cut(text, ":")
	if count, err = strconv.Atoi(n); err != nil || !ok || count < 0 {
		return 0, "", invalid("give what `handoff audit head` printed", "%q is no COUNT:HASH", text)
	}
	return count, hash, nil
}
