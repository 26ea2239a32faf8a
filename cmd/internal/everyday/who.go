package everyday

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// OperatorFlag adds the flag that says for whom a command acts.
func (a *App) OperatorFlag(cmd *cobra.Command, operator *string) {
	a.asked = operator
	cmd.Flags().StringVar(operator, "operator", "", "for whom it is (`operator`; default you, as `handoff whoami` says)")
}

// Acting returns for whom a command acts: who is named, else who runs it.
func (a *App) Acting(p handoff.Project, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if me := p.Me(); me != "" {
		return me, nil
	}
	return "", Nobody("it is not known for whom this is", "--operator")
}

// Nobody is the error where it is not known for whom a command is; flag says it.
func Nobody(problem, flag string) error {
	return Invalid("use "+flag+" NAME, set HANDOFF_OPERATOR, or run `handoff init`, which asks who you are", "%s", problem)
}

func whoamiCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami",
		Short: "Say who you are for handoff, and why",
		Long: `Say for whom commands act that name nobody. In this order: HANDOFF_OPERATOR; operator in your own
configuration; the operator in OPERATORS.md whose git_email is ` + "`git config user.email`" + `; operator in
.handoff.yaml. Exits with 2 if nobody is known.`,
		Example: "  handoff whoami\n  HANDOFF_OPERATOR=ben handoff whoami",
		Args:    Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Project()
			if err != nil {
				return err
			}
			me := p.Identity()
			if me.Operator == "" {
				return Nobody("it is not known who you are", "--operator")
			}
			if s, err := handoff.Open(p.Options); err == nil {
				if why, _ := s.Stranger(me.Operator); why != "" {
					a.Note(why)
				}
			}
			if a.JSON {
				return a.PrintJSON(me)
			}
			_, err = fmt.Fprintf(a.Stdout, "%s (%s)\n", me.Operator, handoff.EscapeLine(me.Source))
			return err
		},
	}
}
