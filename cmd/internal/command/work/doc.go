// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"next":      nextCommand,
		"take":      takeCommand,
		"release":   releaseCommand,
		"done":      doneCommand,
		"mark-read": markReadCommand,
		"withdraw":  withdrawCommand,
		"archive":   archiveCommand,
	})
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"approve": approveCommand,
		"prune":   pruneCommand,
	})
}
