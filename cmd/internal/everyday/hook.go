package everyday

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/agent"
)

func hookCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "What coding agents run",
		Args:  Args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return Usage(cmd, fmt.Errorf("say session-start")) },
	}
	s := agent.Session{}
	start := &cobra.Command{
		Use:   "session-start --agent NAME",
		Short: "Tell a starting session what it has not read; always exits with 0",
		Long: `Print how many handoffs are unread and which, in the form that the agent expects; nothing when there
is nothing to say. Nothing of a body is printed unless --bodies is given. It never waits for more than
about a second, and exits with 0 whatever happens.`,
		Args: Args(cobra.ArbitraryArgs),
		RunE: func(*cobra.Command, []string) error {
			cwd, err := a.Getwd()
			if err != nil {
				return nil
			}
			s.Cwd, s.Stdin, s.Stdout, s.Stderr, s.Getenv, s.Flags = cwd, a.Stdin, direct(a.Stdout), a.Stderr, a.Getenv, a.Flags
			s.Options = a.Options
			agent.SessionStart(s)
			return nil
		},
	}
	start.Flags().StringVar(&s.Agent, "agent", "plain", "whose session it is (`name`): "+strings.Join(agent.Names(), ", "))
	start.Flags().StringVar(&s.To, "to", "", "who the session works for (`operator`)")
	start.Flags().BoolVar(&s.Bodies, "bodies", false, "print bodies too, framed")
	cmd.AddCommand(start)
	return cmd
}
