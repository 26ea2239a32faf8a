package agents

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/signature"
)

// An event is a hook that agents run. To add one, add a row to events.
type event struct {
	name string
	run  func(agent.Session)
}

// events has the subcommands of hook.
var events = []event{
	{name: "session-start", run: agent.SessionStart},
	{name: "prompt", run: func(s agent.Session) { agent.Hear(s, agent.Prompt) }},
	{name: "tool", run: func(s agent.Session) { agent.Hear(s, agent.Tool) }},
	{name: "session-end", run: agent.SessionEnd},
}

type hookFlags struct {
	Agent  string `default:"plain"`
	To     string
	bodies bool // a flag of session-start
}

// eventCommand returns the command of an event. It never fails, since the settings of an agent may be from a newer
// version.
func eventCommand(a *cli.App, e event) *cobra.Command {
	var f hookFlags
	run := func(*cobra.Command, []string) error {
		runHook(a, e, agent.Session{Agent: f.Agent, To: f.To, Bodies: f.bodies})
		return nil
	}
	cmd := &cobra.Command{Args: cobra.ArbitraryArgs, RunE: run}
	a.Declare(cmd.Flags(), &f)
	if e.name == "session-start" {
		cmd.Flags().BoolVar(&f.bodies, "bodies", false, "")
	}
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		return run(cmd, nil)
	})
	return cmd
}

// runHook runs the hook of an event. It does nothing if the working directory was removed.
func runHook(a *cli.App, e event, s agent.Session) {
	var err error
	if s.Cwd, err = a.Getwd(); err != nil {
		return
	}
	s.Stdin, s.Stdout, s.Stderr, s.Getenv, s.Flags = a.Stdin, cli.Direct(a.Stdout), a.Stderr, a.Getenv, a.Flags
	s.Options = func(o *handoff.Options) {
		o.VerifySignature = signature.Verify
		a.Options(o)
	}
	s.Sync, s.Patience, s.Parent = a.SyncByItself, a.Patience, os.Getppid()
	e.run(s)
}

// QuickHook runs the command line of an installed hook and reports whether it is one. Every session waits for the hook,
// and cobra would take a fifth of the time.
func QuickHook(a *cli.App) bool {
	h, ok := heard.ParseHook(a.Args)
	at := slices.IndexFunc(events, func(e event) bool { return e.name == h.Event })
	if !ok || at < 0 {
		return false
	}
	runHook(a, events[at], agent.Session{Agent: h.Agent, To: h.To, Bodies: h.Bodies})
	return true
}
