// Package read has the commands of the group Read of `handoff help all`.
package read

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"list":    (*app).list,
		"read":    (*app).read,
		"search":  (*app).search,
		"thread":  (*app).thread,
		"status":  (*app).status,
		"surface": (*app).surface,
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"log":   (*app).log,
		"watch": runWatch,
	}
}
