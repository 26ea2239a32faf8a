package agents

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
)

// stopCommand returns the hook for what a session leaves. It is draft save --hook.
func stopCommand(a *app) *cobra.Command {
	var name, to string
	stop := &cobra.Command{
		Use:   "stop --agent NAME",
		Short: "Keep what a session leaves; always exits with 0",
		Long: `Save what the agent reports about a session on standard input, when a turn
ends, after a compaction and when the session ends. This is the same as
handoff draft save --hook.`,
		Args: cli.Args(cobra.ArbitraryArgs),
		RunE: func(*cobra.Command, []string) error { a.SaveHookDraft(name); return nil },
	}
	stop.FParseErrWhitelist.UnknownFlags = true // the settings of an agent may be from a newer version
	stop.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Note(cli.Usage(cmd, err).Error())
		a.SaveHookDraft(name)
		return nil
	})
	stop.Flags().StringVar(&name, "agent", "plain", "the `agent` of the session: "+strings.Join(agent.Names(), ", "))
	stop.Flags().StringVar(&to, "to", "", "the `operator` that the session works for; not used")
	return stop
}
