// Package write has the commands of the group Write of `handoff help all`.
package write

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"write":     writeCommand,
		"reply":     replyCommand,
		"supersede": supersedeCommand,
		"draft":     draftCommand,
	})
}
