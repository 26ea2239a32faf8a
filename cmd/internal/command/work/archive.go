package work

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func archiveCommand(a *app) *cobra.Command {
	act, undo := handoff.ActArchive, false
	cmd, _ := a.actCommand(&act, nil)
	cmd.Use, cmd.Short = "archive ID…", "Hide handoffs: they stay, and are no longer listed"
	cmd.Long = `Hide handoffs. Rows and documents stay as they are; list and hooks leave them out, but for list --all and
list --state archived. The sender and the recipient can archive, and operators with the capability archive in
OPERATORS.md. A handoff that somebody has taken and not done is refused: the holder ends it or gives it back first.

--undo brings them back. With the next syncs they come back in the other clones too, also in those that have
pruned them meanwhile.`
	cmd.Example = "  handoff archive 134327a8 --operator ann\n  handoff archive --undo 134327a8"
	cmd.Flags().BoolVar(&undo, "undo", false, "bring back handoffs that were archived")
	cli.Before(cmd, func(func(string) bool) error {
		if undo {
			act = handoff.ActUnarchive
		}
		return nil
	})
	return cmd
}
