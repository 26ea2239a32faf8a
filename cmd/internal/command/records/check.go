package records

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// checks holds the flags that handoffs are checked with.
type checks struct {
	maxAge     time.Duration
	allowEmpty []string
	answers    string
	confirmed  string
	ascii      bool
	probe      string
	given      func(flag string) bool
}

func (c *checks) register(cmd *cobra.Command) {
	c.given = cmd.Flags().Changed
	cli.Duration(cmd.Flags(), &c.maxAge, "max-age",
		"accept handoffs up to this `age`, such as 90m or 3d (default: 48h)")
	cli.Texts(cmd.Flags(), &c.allowEmpty, "allow-empty", "accept this empty `field`")
	cmd.Flags().StringVar(&c.answers, "answers", "",
		"a JSON `file` with objective, blocker and next_action as you understood them")
	cmd.Flags().StringVar(&c.confirmed, "confirmed-by", "",
		"the `operator` who confirms that the answers mean the same as the packet; audited")
	cmd.Flags().StringVar(&c.probe, "probe", "",
		"run the probes that the handoff claims to have passed, or only the probe `name`")
	cmd.Flags().Lookup("probe").NoOptDefVal = everyProbe
	cmd.Flags().BoolVar(&c.ascii, "ascii", false, "print ASCII only")
}

func checkCommand(a *app) *cobra.Command {
	var c checks
	cmd := &cobra.Command{
		Use: "check FILE|DIR|ID|-…",
		Long: `Check whether work can continue from a handoff: is it complete, recent and not
used before, and does it say what to do next? FILE is a record as JSON or a
handoff document, DIR means its *.md and *.json files. check changes nothing
and uses no token. It cannot judge the meaning of a text: a text that says
little can pass. Text that seems to ask for something dangerous is labeled, and
does not change the verdict.

With --answers, check compares what you understood with the packet. It cannot
tell whether different words mean the same: both are shown, and you confirm
them with --confirmed-by NAME.

With --probe, check runs the probes that the sender claims to have passed (a
reference such as probe:test=passed). Allow them first with handoff probes
allow. Each claim is confirmed, contradicted, not run, or about other work than
yours; a handoff with a claim that is not confirmed is OPERATIONAL. A result is
kept for 24 hours, while the definition, the commit and all tracked files stay
the same.

Exit codes: 0 CLEAN, 10 OPERATIONAL (fix or confirm first), 11 CRITICAL (do not
continue). For several handoffs the worst counts.`,
		Example: "  handoff check packet.json\n  handoff check 134327a8 --answers understood.json\n" +
			"  handoff check 134327a8 --probe",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDsOrFiles,
		RunE:              func(_ *cobra.Command, names []string) error { return a.check(names, &c) },
	}
	c.register(cmd)
	return cmd
}

// check checks each named handoff and prints the reports. The error is the verdict.
func (a *app) check(names []string, c *checks) error {
	a.ForAgents = true
	open := a.NewStore // files need no store
	if slices.ContainsFunc(names, isStored) {
		open = a.ProjectStore
	}
	p, s, err := open()
	if err != nil {
		return err
	}
	with, err := c.with(a, p)
	if err != nil {
		return err
	}
	ctx, stop := a.Stoppable()
	defer stop()
	if with.Probe, err = a.prober(ctx, p, s, c); err != nil {
		return err
	}
	o, err := with.Options(s)
	if err != nil {
		return err
	}
	if names, err = artifacts(names); err != nil {
		return err
	}
	var reports []packet.Report
	for _, name := range names {
		got, err := a.read(func() (*handoff.Store, error) { return s, nil }, name)
		in := packet.Input{Name: got.name, Err: err}
		if err == nil {
			in = got.input()
		}
		report := packet.Check(in, o)
		if note := record.RecordConfirmation(context.Background(), s, in.ID, report); note != "" {
			report.Notes = append(report.Notes, note)
		}
		reports = append(reports, report)
	}
	if err := a.printReports(reports, c.ascii); err != nil {
		return err
	}
	return cli.Verdict(packet.Worst(reports))
}

// artifacts replaces directories by their files.
func artifacts(names []string) (all []string, err error) {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			all = append(all, name)
			continue
		}
		files, err := cli.Documents(name)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// with returns the checks that flags and settings ask for.
func (c *checks) with(a *app, p handoff.Project) (record.Checks, error) {
	r := record.Checks{Rules: schema.Universal(), Tree: cli.WorkOf(p), CheckOptions: packet.CheckOptions{
		MaxAge: c.maxAge, AllowEmpty: c.allowEmpty, ConfirmedBy: c.confirmed, Now: a.Now()}}
	if !c.given("max-age") {
		r.MaxAge = p.Settings.MaxAge.Value
	} else if r.MaxAge == 0 {
		return r, cli.Invalid("use a duration such as 48h", "--max-age 0 accepts no handoff")
	}
	if c.answers == "" {
		return r, nil
	}
	text, err := cli.ReadInput(c.answers)
	if err != nil {
		return r, err
	}
	answers, err := packet.ParseAnswers(text)
	r.Answers = &answers
	return r, err
}

// printReports prints the reports as text, or as JSON a line each.
func (a *app) printReports(reports []packet.Report, ascii bool) error {
	return cli.Lines(a.App, reports, func() (string, error) {
		return packet.Text(reports, packet.TextOptions{ASCII: ascii, Names: cli.IsTerminal(a.Stdout)})
	})
}
