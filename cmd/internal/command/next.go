package command

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type nextFlags struct {
	*cli.Who
	To string // --operator says who takes it
	cli.Origin
	Take    bool
	Session string
	Format  string
}

func nextCommand(a *cli.App) *cobra.Command {
	f := &nextFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "next",
		Short: "Show what to work on next",
		Long: `Show the handoff to work on next: one that you have taken and not finished, or
one to you that is unread and not taken. A handoff that you have taken and that
has expired comes first, then the oldest. An agent session is not shown what
another session has taken. If there is nothing to do, next prints nothing and
exits with 0. The flags choose handoffs as those of list do; --to NAME means the
same as --operator NAME.

--take also takes the handoff, as handoff take does. If several agents run it
at once, each gets a different handoff.`,
		Example: `  handoff next
  handoff next --from ann --tag ci
  handoff next --take --session s-17 --operator ben`,
		RunE: func(_ *cobra.Command, _ []string) error { return next(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.To, "to", "", "show what is next for this `operator`")
	f.Origin.Declare(flags)
	flags.BoolVar(&f.Take, "take", false, "take the handoff")
	flags.StringVar(&f.Session, "session", "", "act for this agent `session` (default: the current one)")
	flags.Var(cli.Choice(&f.Format, "table", "rows", "jsonl", "ids", "json"), "format", "output `format`: "+
		"table, rows, jsonl, ids, json")
	cli.Conflicts(cmd, "to", "operator", "take")
	cli.Needs(cmd, "session", "take")
	return cmd
}

func next(a *cli.App, f *nextFlags) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	chosen, err := (&cli.Filter{To: f.To, Origin: f.Origin}).Chosen(a)
	if err != nil {
		return err
	}
	if chosen.To, err = a.Acting(p, s, cmp.Or(f.Operator, chosen.To)); err != nil {
		return err
	}
	if f.Take {
		who := handoff.Who{Operator: chosen.To, Session: cmp.Or(f.Session, a.SessionID())}
		return takeNext(a, s, chosen, who)
	}
	e, ok, err := s.Next(chosen, a.SessionID(), nil)
	if err == nil && !ok {
		a.NoteNothing("nothing to do for " + chosen.To)
	}
	if err != nil || !ok {
		return err
	}
	return PrintList(a, s, []handoff.Entry{e}, FormatOf(a, f.Format))
}

func takeNext(a *cli.App, s *handoff.Store, chosen handoff.Filter, who handoff.Who) error {
	got, ok, err := s.Lifecycle().TakeNext(context.Background(), chosen, who)
	if err != nil || !ok {
		return err
	}
	return printAct(a, s, got)
}
