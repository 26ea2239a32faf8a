package store

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func whoamiCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Say who you are for handoff, and why",
		Long: `Say for whom commands act that name nobody. In this order: HANDOFF_OPERATOR; operator in your own
configuration; the operator in OPERATORS.md whose git_email is ` + "`git config user.email`" + `; operator in
.handoff.yaml. Exits with 2 if nobody is known.`,
		Example: "  handoff whoami\n  HANDOFF_OPERATOR=ben handoff whoami",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Project()
			if err != nil {
				return err
			}
			me := p.Identity()
			if me.Operator == "" {
				return cli.Nobody("I don't know who you are", "")
			}
			if s, err := handoff.Open(p.Options); err == nil {
				a.NoteSlips(s, me.Operator)
			}
			return a.Show(me, me.Operator+" ("+handoff.EscapeLine(me.Source)+")\n")
		},
	}
}
