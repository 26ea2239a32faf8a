package command

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/quiet"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/signature"
)

func hookCommand(a *cli.App) *cobra.Command {
	var h agent.Hook
	run := func(_ *cobra.Command, args []string) error {
		if h.Operator = a.Who.Operator; len(args) > 0 {
			h.Event = args[0]
		}
		runHook(a, h)
		return nil
	}
	cmd := &cobra.Command{
		Use:   "hook EVENT --agent NAME",
		Short: "Run by coding agents, not by you; always exits with 0",
		Long: `Tell the session of a coding agent what is new, in the form that the agent
expects. EVENT is one of:

  session-start  how many handoffs are unread and the newest 10; what the
                 operator has taken and not done; what others have ended
  prompt, tool   one line if handoffs have arrived: the newest 3. A session
                 hears of each handoff once, and gets one line in a minute
  session-end    prints nothing; leaves a file with what the session holds

The agent writes its session and directory as JSON to standard input. If there
is nothing to tell, nothing is printed. The command renews the leases of the
session. It never blocks a prompt or a tool, and takes a second at most.`,
		Example:   `  handoff hook session-start --agent claude --operator ben`,
		Args:      cobra.ArbitraryArgs, // the settings of an agent may be from a newer version
		ValidArgs: []string{agent.Start, agent.Prompt, agent.Tool, agent.End},
		RunE:      run,
	}
	flags := cmd.Flags()
	flags.StringVar(&h.Agent, "agent", "plain", "the `agent` of the session: plain, claude, codex, gemini, qwen, "+
		"cursor, copilot, opencode")
	flags.BoolVar(&h.Bodies, "bodies", false, "print the bodies too, in frames, when a session starts")
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		return run(cmd, cmd.Flags().Args())
	})
	return cmd
}

// runHook runs a hook. Its input may be read already, since Go initializes package quiet early.
func runHook(a *cli.App, h agent.Hook) {
	h.Cwd, _ = a.Getwd() // "" if it is gone
	h.Parent, h.Stdin, h.Stdout, h.Stderr = os.Getppid(), a.Stdin, cli.Direct(a.Stdout), a.Stderr
	if quiet.Input != nil {
		h.Stdin = quiet.Input
	}
	h.Getenv, h.Flags, h.Patience = a.Getenv, a.Flags, a.Patience
	h.Options = func(o *handoff.Options) {
		o.VerifySignature = signature.Verify
		a.Options(o)
	}
	h.Started = func(root string) {
		here := a.In(root)
		here.Quiet = true
		if _, err := here.Project(); err == nil {
			here.SyncSoon()
		}
	}
	h.Run()
}
