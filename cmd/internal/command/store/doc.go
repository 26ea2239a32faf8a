// Package store has the commands of the group Store of `handoff help all`.
package store

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"init":      initCommand,
		"whoami":    whoamiCommand,
		"operators": operatorsCommand,
	})
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"sync":   syncCommand,
		"export": exportCommand,
		"import": importCommand,
		"sign":   signCommand,
		"verify": verifyCommand,
		"doctor": doctorCommand,
	})
}
