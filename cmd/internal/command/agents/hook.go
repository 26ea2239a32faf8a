package agents

import (
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An event is a hook that agents run. To add one, add a row to events.
type event struct {
	name, short, long string
	run               func(agent.Session) // nil saves the draft of the session
}

// events has the subcommands of hook.
var events = []event{
	{"session-start", "Tell a new session what is unread; always exits with 0",
		`Print how many handoffs are unread and the newest ten, in the form that the
agent expects. Also print what the operator has taken and not done, which of
their handoffs others have finished or rejected, and whether the last session
ended without a handoff; the last two are told once. If there is nothing,
nothing is printed. Bodies are printed only with --bodies.

The command renews the leases of the session. It waits for about a second at
most, and always exits with 0.`, agent.SessionStart},
	{"prompt", "Tell a running session what has arrived, at a prompt",
		`Print one line if handoffs have arrived since the session was last told: how
many, the newest three, and the command that reads them. Each is told once to a
session, and at most one line is printed in a minute. If others have finished or
rejected what the operator sent, a line tells that too. Otherwise nothing is
printed, and no store is opened. The session is known by its id on standard
input; without an id nothing is printed.

The command renews the leases of the session when half of their time has passed.

The line is added to what the model reads. The command never blocks the prompt
and always exits with 0.`, func(s agent.Session) { agent.Hear(s, agent.Prompt) }},
	{"tool", "Tell a running session what has arrived, after a tool",
		`Print the same line as "handoff hook prompt", in the form that the agent expects
after a tool. The command never blocks or changes the tool, and always exits
with 0.`, func(s agent.Session) { agent.Hear(s, agent.Tool) }},
	{"stop", "Keep what a session leaves; always exits with 0",
		`Save what the agent reports about a session on standard input, when it begins,
when a turn ends, after a compaction and when the session ends. This is the same
as handoff draft save --hook.`, nil},
}

func hookCommand(a *app) *cobra.Command {
	var all []*cobra.Command
	for _, e := range events {
		all = append(all, a.eventCommand(e))
	}
	return cli.Below(&cobra.Command{Use: "hook", Short: "Run by coding agents, not by you"}, all...)
}

func (a *app) eventCommand(e event) *cobra.Command {
	s := agent.Session{}
	cmd := &cobra.Command{
		Use:   e.name + " --agent NAME",
		Short: e.short,
		Long:  e.long,
		Args:  cli.Args(cobra.ArbitraryArgs),
		RunE:  func(*cobra.Command, []string) error { a.runHook(e, s); return nil },
	}
	cmd.FParseErrWhitelist.UnknownFlags = true // the settings of an agent may be from a newer version
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		a.runHook(e, s)
		return nil
	})
	cmd.Flags().StringVar(&s.Agent, "agent", "plain", "the `agent` of the session: "+strings.Join(agent.Names(), ", "))
	cmd.Flags().StringVar(&s.To, "to", "", "the `operator` that the session works for")
	if e.name == "session-start" {
		cmd.Flags().BoolVar(&s.Bodies, "bodies", false, "print the bodies too, in frames")
	}
	return cmd
}

// runHook runs the hook of an event. It does nothing if the working directory was removed.
func (a *app) runHook(e event, s agent.Session) {
	if e.run == nil {
		a.SaveHookDraft(s.Agent)
		return
	}
	var err error
	if s.Cwd, err = a.Getwd(); err != nil {
		return
	}
	s.Stdin, s.Stdout, s.Stderr, s.Getenv, s.Flags = a.KeptStdin(), cli.Direct(a.Stdout), a.Stderr, a.Getenv, a.Flags
	s.Options = func(o *handoff.Options) {
		a.Signatures(handoff.Project{}, o)
		a.Options(o)
	}
	s.Gather, s.Sync, s.Patience = a.Gather, a.SyncByItself, a.Patience
	e.run(s)
}

// QuickHook runs the command line of an installed hook and reports whether it is one. Every session waits for the hook,
// and cobra would take a fifth of the time. QuickHook knows only the arguments of installed hooks.
func QuickHook(run *cli.App) bool {
	a := &app{run}
	if len(a.Args) < 2 || a.Args[0] != "hook" {
		return false
	}
	at := slices.IndexFunc(events, func(e event) bool { return e.name == a.Args[1] })
	if at < 0 {
		return false
	}
	s := agent.Session{Agent: "plain"}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.Agent, "agent", s.Agent, "")
	flags.StringVar(&s.To, "to", "", "")
	flags.BoolVar(&s.Bodies, "bodies", false, "")
	if flags.Parse(a.Args[2:]) != nil || flags.NArg() > 0 {
		return false
	}
	a.runHook(events[at], s)
	return true
}
