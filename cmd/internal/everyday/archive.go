package everyday

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func archiveCommand(a *App) *cobra.Command {
	cmd, _ := a.actCommand(handoff.ActArchive, nil)
	cmd.Use, cmd.Short = "archive ID…", "Put handoffs away: they stay, and are listed no more"
	cmd.Long = `Put handoffs away. Rows and documents stay as they are; list, surface and hooks leave them out, but
for list --all and list --state archived. Who has written a handoff may do it, whom it is for, and
operators with the capability archive in OPERATORS.md. What somebody has taken and not done is refused: the
holder ends it or gives it back first.`
	cmd.Example = "  handoff archive 134327a8 --operator ann"
	return cmd
}

func unarchiveCommand(a *App) *cobra.Command {
	cmd, _ := a.actCommand(handoff.ActUnarchive, nil)
	cmd.Use, cmd.Short = "unarchive ID…", "Bring handoffs back that were put away"
	cmd.Long = `Bring handoffs back that archive has put away. Who may archive may do it. With the next syncs they come
back in the other clones too, also in those that have pruned them meanwhile.`
	cmd.Example = "  handoff unarchive 134327a8 --operator ann"
	return cmd
}
