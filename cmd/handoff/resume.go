package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// A resumed is what resume prints as JSON.
type resumed struct {
	handoff.Consumption
	NextAction string        `json:"next_action"`
	Report     packet.Report `json:"report"`
}

func resumeCommand(a *app) *cobra.Command {
	var c checks
	var operator, accept, reason string
	cmd := &cobra.Command{
		Use:   "resume ID --operator OP",
		Short: "Resume work from a stored handoff, once and for all",
		Long: `Check a stored handoff, consume its resume token, mark it as read and print what to do next. Only a
CLEAN handoff is resumed, or with --accept operational and --reason one that is OPERATIONAL. A token is
consumed once: of several that resume at the same time one succeeds, the others exit with 11.`,
		Example:           "  handoff resume 134327a8 --operator ben\n  handoff resume 134327a8 --operator ben --accept operational --reason 'confirmed by ann'",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			p, err := a.project()
			if err != nil {
				return err
			}
			if operator == "" {
				operator = p.Me()
			}
			consumption := handoff.Consumption{HandoffID: ids[0], Operator: operator, Reason: reason}
			if consumption.Accepted, err = accepted(operator, accept, reason); err != nil {
				return err
			}
			return a.resume(p, c, consumption)
		},
	}
	c.register(cmd)
	cmd.Flags().StringVar(&operator, "operator", "", "who resumes (`operator`)")
	cmd.Flags().StringVar(&accept, "accept", "", "the `classification` to resume from all the same: operational")
	cmd.Flags().StringVar(&reason, "reason", "", "with --accept: why (`text`), for the audit log")
	return cmd
}

func accepted(operator, accept, reason string) (string, error) {
	switch {
	case operator == "":
		return "", invalid("use --operator OP", "nobody is named who resumes")
	case accept != "" && accept != "operational":
		return "", invalid("a CRITICAL handoff is never resumed from", "--accept %q: only operational can be accepted", accept)
	case (accept == "") != (reason == ""):
		return "", invalid("give both", "--accept operational and --reason go together")
	case len(handoff.FindSecrets(reason)) > 0:
		return "", invalid("say it without", "--reason holds a credential (rule %s)", handoff.FindSecrets(reason)[0].Rule)
	case accept != "":
		return packet.Operational.String(), nil
	}
	return "", nil
}

func (a *app) resume(p handoff.Project, c checks, consumption handoff.Consumption) error {
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	o, err := c.options(p, s)
	if err != nil {
		return err
	}
	got, err := s.Read(consumption.HandoffID)
	if err != nil {
		return err
	}
	in := record.Input(got.Entry.ID, got.Document, schema.Universal())
	report := packet.Check(in, o)
	if report.Class == packet.Critical || report.Class == packet.Operational && consumption.Accepted == "" {
		if err := a.printReports([]packet.Report{report}, c.ascii); err != nil {
			return err
		}
		return verdict(report.Class)
	}
	if report.Class == packet.Clean {
		consumption.Accepted, consumption.Reason = "", ""
	}
	var next string
	consumption.HandoffID = got.Entry.ID
	consumption.Token, next = record.Token(in)
	if consumption, err = s.Resume(context.Background(), consumption); err != nil {
		var before *handoff.ConsumedError
		if errors.As(err, &before) {
			return critical{before}
		}
		return err
	}
	return a.printResumed(resumed{consumption, next, report})
}

// critical is a handoff that was resumed by somebody else after it was checked.
type critical struct{ *handoff.ConsumedError }

func (c critical) Unwrap() error { return errCritical }

func (a *app) printResumed(r resumed) error {
	if a.json {
		return a.printJSON(r)
	}
	next := r.NextAction
	if next == "" {
		next = "(the handoff does not say; read it with `handoff read " + r.HandoffID + "`)"
	}
	_, err := fmt.Fprintf(a.stdout, "Resumed %s as %s at %s (%s).\nNext action, as the handoff says: %s\n",
		r.HandoffID, r.Operator, r.Time, r.Report.Class, handoff.EscapeLine(next))
	return err
}
