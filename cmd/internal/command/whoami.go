package command

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func whoamiCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Show who you are, and why",
		Long: `Show who you are here, and why. Commands act for this name, unless you add
--operator NAME.

The first of these counts:

  1. HANDOFF_OPERATOR
  2. the name that you gave to handoff init in this clone
  3. operator in your own settings
  4. the operator in OPERATORS.md whose git_email is your git user.email
  5. operator in .handoff.yaml
  6. a name made from your git user.email, else the first word of user.name;
     info@ and other addresses of many people give none

Exit codes: 2 I don't know who you are.`,
		Example: `  handoff whoami
  HANDOFF_OPERATOR=ben handoff whoami`,
		RunE: func(_ *cobra.Command, _ []string) error { return whoami(a) },
	}
}

func whoami(a *cli.App) error {
	p, err := a.Project()
	if err != nil {
		return err
	}
	me := p.Identity()
	if a.Who.Operator != "" {
		me.Operator, me.Source = a.Who.Operator, "--operator"
	}
	if me.Operator == "" {
		return cli.UnknownOperator()
	}
	if s := a.Quietly(); s != nil {
		a.NoteSlips(s, me.Operator)
	}
	return a.Show(me, me.Operator+" ("+handoff.EscapeLine(me.Source)+")\n")
}
