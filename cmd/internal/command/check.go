package command

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	kinds "github.com/seed-78daf238/handoff/lib/kind"
)

// checks are the flags for the check of a handoff.
type checks struct {
	MaxAge      *time.Duration
	AllowEmpty  []string
	Answers     string
	ConfirmedBy string
	ASCII       bool
}

func (c *checks) declare(flags *pflag.FlagSet) {
	flags.Var(cli.OptionalDuration(&c.MaxAge), "max-age",
		"accept handoffs up to this `age`, such as 90m or 3d (default "+
			"for a packet: 48h)")
	flags.StringArrayVar(&c.AllowEmpty, "allow-empty", nil, "accept this empty `field`; can be repeated")
	flags.StringVar(&c.Answers, "answers", "", "a JSON `file`, or -, with objective, blocker and next_action as you "+
		"understood them")
	flags.StringVar(&c.ConfirmedBy, "confirmed-by", "",
		"the `operator` who confirms what differs from the packet; audited")
	flags.BoolVar(&c.ASCII, "ascii", false, "print ASCII only")
}

func checkCommand(a *cli.App) *cobra.Command {
	f := &checks{}
	cmd := &cobra.Command{
		Use:   "check FILE|DIR|ID|-…",
		Short: "Check whether work can continue from a handoff",
		Long: `Check whether work can continue from a handoff. Of a packet: is it complete,
recent and not used before, and does it say what to do next? Of any other
handoff: is it still open, and did the work move on? FILE is a record as JSON or
a handoff document, DIR means its *.md and *.json files. check changes nothing
and uses no token. It cannot judge the meaning of a text: a text that says
little can pass. A dangerous instruction, such as to disable the firewall, makes
a handoff OPERATIONAL.

With --answers, check compares what you understood with the packet. It cannot
tell whether different words mean the same: both are shown, and you confirm
them with --confirmed-by NAME.

Exit codes: 0 CLEAN or no packet, 10 OPERATIONAL (fix or confirm first),
11 CRITICAL (do not continue). For several handoffs the worst counts.`,
		Example: `  handoff check packet.json
  handoff check 134327a8 --answers understood.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return check(a, f, args) },
	}
	f.declare(cmd.Flags())
	return cmd
}

// check checks each named handoff and prints the reports. The error is the verdict.
func check(a *cli.App, c *checks, names []string) error {
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
	if names, err = artifacts(names); err != nil {
		return err
	}
	var reports []kinds.Report
	for _, name := range names {
		got, err := readArtifact(a, s, name)
		if name == "@" && err != nil {
			return err // nobody knows what @ is: nothing was checked
		}
		r, err := s.Check(context.Background(), got.input(err), with)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if err := printReports(a, reports, c.ASCII); err != nil {
		return err
	}
	return cli.Verdict(kinds.Worst(reports))
}

// artifacts replaces directories by their documents and records.
func artifacts(names []string) (all []string, err error) {
	for _, name := range names {
		files := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if files, err = cli.Documents(name); err != nil {
				return nil, err
			}
		}
		all = append(all, files...)
	}
	return all, nil
}

// with returns what flags and settings ask for.
func (c *checks) with(a *cli.App, p handoff.Project) (handoff.Checking, error) {
	r := handoff.Checking{Tree: cli.WorkOf(p), Operator: cmp.Or(a.Who.Operator, p.Me()), Session: a.SessionID(),
		CheckOptions: kinds.CheckOptions{
			AllowEmpty: c.AllowEmpty, ConfirmedBy: c.ConfirmedBy, Now: a.Now()}}
	if c.MaxAge != nil {
		r.MaxAge = cmp.Or(*c.MaxAge, 1) // 0 would mean the default
	}
	if c.Answers == "" {
		return r, nil
	}
	_, text, err := a.ReadNamed(c.Answers)
	if err != nil {
		return r, err
	}
	answers, err := kinds.ParseAnswers(text)
	r.Answers = &answers
	return r, err
}

// printReports prints the reports as text, or as JSON a line each.
func printReports(a *cli.App, reports []kinds.Report, ascii bool) error {
	return cli.Lines(a, reports, func() string {
		text := kinds.Summary(reports, kinds.SummaryOptions{ASCII: ascii, Width: cli.TerminalWidth(a.Stdout)})
		return cli.Fit(a.Stdout, text)
	})
}
