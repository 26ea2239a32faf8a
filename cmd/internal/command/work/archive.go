package work

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func archiveCommand(a *app) *cobra.Command {
	act, undo := handoff.ActArchive, false
	cmd, _ := a.actCommand(&act, nil)
	cmd.Use, cmd.Short = "archive ID…", "Hide handoffs; --undo shows them again"
	cmd.Long = `Hide handoffs: list and session hooks no longer show them. The documents and
rows stay; list --all and list --state archived show them. The sender and the
recipient can archive a handoff, and operators with the capability archive in
OPERATORS.md. A handoff that is taken must be finished or released first.

--undo shows the handoffs again; there @ is the one that you archived last.
Other clones follow with their next sync, even if they have pruned them.`
	cmd.Example = "  handoff archive 134327a8 --operator ann\n  handoff archive --undo 134327a8"
	cmd.Flags().BoolVar(&undo, "undo", false, "show archived handoffs again")
	cli.Before(cmd, func(func(string) bool) error {
		if undo {
			act = handoff.ActUnarchive
		}
		return nil
	})
	return cmd
}
