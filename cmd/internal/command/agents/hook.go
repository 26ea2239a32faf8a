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
		Short: "Tell a new session what is unread; always exits with 0",
		Long: `Print how many handoffs are unread and which, in the form that the agent
expects. If there are none, nothing is printed. Bodies are printed only with
--bodies. The command waits for about a second at most, and always exits with
0.`,
		Args: cli.Args(cobra.ArbitraryArgs),
		RunE: func(*cobra.Command, []string) error { a.sessionStart(s); return nil },
	}
	start.FParseErrWhitelist.UnknownFlags = true // the settings of an agent may be from a newer version
	start.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		a.sessionStart(s)
		return nil
	})
	start.Flags().StringVar(&s.Agent, "agent", "plain", "the `agent` of the session: "+strings.Join(agent.Names(), ", "))
	start.Flags().StringVar(&s.To, "to", "", "the `operator` that the session works for")
	start.Flags().BoolVar(&s.Bodies, "bodies", false, "print the bodies too, in frames")
	return cli.Below(&cobra.Command{Use: "hook", Short: "Run by coding agents, not by you"}, start, stopCommand(a))
}

// sessionStart tells a session what is unread. It does nothing if the working directory was removed.
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

// QuickHook runs the command line of an installed hook and reports whether it is one. Every session waits for the hook, and
// cobra would take a fifth of the time. QuickHook knows only the arguments of installed hooks.
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
