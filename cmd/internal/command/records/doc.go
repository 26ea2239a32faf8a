// Package records has the commands for records, which only the full program has: new, record, check, resume and probes.
package records

import (
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Group(map[string]func(*app) *cobra.Command{
		"new":    newCommand,
		"record": recordCommand,
		"check":  checkCommand,
		"resume": resumeCommand,
		"probes": probesCommand,
	})
}
