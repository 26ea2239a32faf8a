package work

import (
	"bufio"
	"cmp"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func nextCommand(a *app) *cobra.Command {
	var f cli.Filter
	var operator, session, format string
	var take, offline bool
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
		Example: "  handoff next\n  handoff next --from ann --tag ci\n" +
			"  handoff next --take --session s-17 --operator ben",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			print := a.ListPrinter(&format)
			cli.CollectOften()
			p, s, err := a.OnceStore(offline)
			if err != nil {
				return err
			}
			chosen, err := f.Chosen(a.App)
			if err != nil {
				return err
			}
			if chosen.To, err = a.Acting(p, s, cmp.Or(operator, chosen.To)); err != nil {
				return err
			}
			if take {
				return a.takeNext(s, chosen, handoff.Consumption{Operator: chosen.To, Session: a.Session(session)})
			}
			e, ok, err := s.Next(chosen, a.Session(""), nil)
			if err == nil && !ok {
				a.NoteNothing(p, s, "nothing to do for "+chosen.To)
			}
			if err != nil || !ok {
				return err
			}
			out := bufio.NewWriter(a.Stdout)
			if err := print(a.App, out, s, []handoff.Entry{e}); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	a.OperatorFlag(cmd, &operator)
	cmd.Flags().StringVar(&f.To, "to", "", "show what is next for this `operator`")
	f.RegisterOrigin(cmd)
	cmd.Flags().BoolVar(&take, "take", false, "take the handoff")
	a.SessionFlag(cmd, &session)
	cmd.Flags().BoolVar(&offline, "offline", false, cli.OfflineUsage)
	cli.Exclusive(cmd, "to", "operator")
	cli.Exclusive(cmd, "to", "take") // --operator says who takes it
	cli.Needs(cmd, "session", "take")
	cli.Needs(cmd, "offline", "take")
	a.Format(cmd, &format, cli.Listed...)
	return cmd
}

func (a *app) takeNext(s *handoff.Store, chosen handoff.Filter, who handoff.Consumption) error {
	ctx, stop := a.Stoppable()
	defer stop()
	got, ok, err := s.Lifecycle().TakeNext(ctx, chosen, who)
	if err != nil || !ok {
		return err
	}
	return a.printAct(s, got)
}
