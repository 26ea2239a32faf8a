// Package read has the commands of the group Read of `handoff help all`.
package read

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"list":    paged(listCommand),
		"read":    paged(readCommand),
		"search":  paged(searchCommand),
		"thread":  paged(threadCommand),
		"status":  statusCommand,
		"surface": surfaceCommand,
	})
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"log":   paged(logCommand),
		"watch": watchCommand,
	})
}

// paged makes a command show long output in a pager.
func paged(command func(*app) *cobra.Command) func(*app) *cobra.Command {
	return func(a *app) *cobra.Command { return a.Paged(command(a)) }
}
