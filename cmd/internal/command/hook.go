package command

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
	name, short, long string
	run               func(agent.Session)
}

// events has the subcommands of hook.
var events = []event{
	{"session-start", "Tell a new session what is unread; always exits with 0",
		`Print how many handoffs are unread and the newest ten, in the form that the
agent expects. Also print what the operator has taken and not done, and which of
their handoffs others have finished. If there is nothing, nothing is printed.
Bodies are printed only with --bodies.

The command renews the leases of the session. It waits for about a second at
most, and always exits with 0.`, agent.SessionStart},
	{"prompt", "Tell a running session what has arrived, at a prompt",
		`Print one line if handoffs have arrived since the last one: how many, the
newest three, and the command that reads them. A session hears of each handoff
once, and gets at most one line in a minute. If others have finished
what the operator sent, a line tells that too. Otherwise nothing is
printed, and no store is opened. The session is known by its id on standard
input; without an id nothing is printed.

The command renews the leases of the session when half of their time has passed.

The line is added to what the model reads. The command never blocks the prompt
and always exits with 0.`, func(s agent.Session) { agent.Hear(s, agent.Prompt) }},
	{"tool", "Tell a running session what has arrived, after a tool",
		`Print the same line as "handoff hook prompt", in the form that the agent expects
after a tool. The command never blocks or changes the tool, and always exits
with 0.`, func(s agent.Session) { agent.Hear(s, agent.Tool) }},
	{"session-end", "Note that a session has ended; always exits with 0",
		`Note that the session which an agent names on standard input has ended. Another
session of its operator can then take over what it holds.`, agent.SessionEnd},
}

// command returns the command of an event. It never fails, since the settings of an agent may be from a newer
// version.
func (e event) command(a *cli.App) *cobra.Command {
	var s agent.Session
	run := func(*cobra.Command, []string) error {
		runHook(a, e, s)
		return nil
	}
	cmd := &cobra.Command{
		Use:     e.name + " --agent NAME",
		Short:   e.short,
		Long:    e.long,
		Example: "  handoff hook " + e.name + " --agent claude --to ben",
		Args:    cobra.ArbitraryArgs,
		RunE:    run,
	}
	flags := cmd.Flags()
	flags.StringVar(&s.Agent, "agent", "plain", "the `agent` of the session: plain, claude, codex, gemini, qwen, "+
		"cursor, copilot, opencode")
	flags.StringVar(&s.To, "to", "", "the `operator` that the session works for")
	if e.name == "session-start" {
		flags.BoolVar(&s.Bodies, "bodies", false, "print the bodies too, in frames")
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
	s.Patience, s.Parent = a.Patience, os.Getppid()
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
