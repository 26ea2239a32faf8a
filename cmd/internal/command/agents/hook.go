package agents

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func hookCommand(a *app) *cobra.Command {
	s := agent.Session{}
	start := &cobra.Command{
		Use:   "session-start --agent NAME",
		Short: "Tell a starting session what it has not read; always exits with 0",
		Long: `Print how many handoffs are unread and which, in the form that the agent expects; nothing when there
is nothing to say. Nothing of a body is printed unless --bodies is given. It never waits for more than
about a second, and exits with 0 whatever happens.`,
		Args: cli.Args(cobra.ArbitraryArgs),
		RunE: func(*cobra.Command, []string) error { a.sessionStart(s); return nil },
	}
	start.FParseErrWhitelist.UnknownFlags = true // the settings of an agent may be of a newer version
	start.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		a.sessionStart(s)
		return nil
	})
	start.Flags().StringVar(&s.Agent, "agent", "plain", "whose session it is (`agent`): "+strings.Join(agent.Names(), ", "))
	start.Flags().StringVar(&s.To, "to", "", "who the session works for (`operator`)")
	start.Flags().BoolVar(&s.Bodies, "bodies", false, "print bodies too, framed")
	return cli.Below(&cobra.Command{Use: "hook", Short: "What coding agents run"}, start)
}

// sessionStart tells a session what it has not read. A directory that is gone has no project.
func (a *app) sessionStart(s agent.Session) {
	var err error
	if s.Cwd, err = a.Getwd(); err != nil {
		return
	}
	s.Stdin, s.Stdout, s.Stderr, s.Getenv, s.Flags = a.KeptStdin(), cli.Direct(a.Stdout), a.Stderr, a.Getenv, a.Flags
	s.Options = func(o *handoff.Options) {
		a.Signatures(handoff.Project{}, o)
		a.Options(o)
	}
	s.Gather, s.Patience = a.Gather, a.Patience
	agent.SessionStart(s)
}

// quickHook does what an installed hook asks for, and says whether it did: every session waits for that, and the library of the
// command line takes a fifth of the time. It knows the arguments of installed hooks and leaves others alone.
func QuickHook(run *cli.App) bool {
	a := &app{run}
	if len(a.Args) < 2 || a.Args[0] != "hook" || a.Args[1] != "session-start" {
		return false
	}
	s := agent.Session{Agent: "plain"}
	values := map[string]*string{"--agent": &s.Agent, "--to": &s.To}
	for args := a.Args[2:]; len(args) > 0; args = args[1:] {
		name, value, joined := strings.Cut(args[0], "=")
		target, known := values[name]
		switch {
		case args[0] == "--bodies":
			s.Bodies = true
		case known && joined:
			*target = value
		case known && len(args) > 1:
			*target = args[1]
			args = args[1:]
		default:
			return false
		}
	}
	a.sessionStart(s)
	return true
}
