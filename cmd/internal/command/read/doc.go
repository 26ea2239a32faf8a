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
		"list":    cli.Command((*app).list),
		"read":    cli.Command((*app).read),
		"search":  cli.Command((*app).search),
		"thread":  cli.Command((*app).thread),
		"status":  cli.Command((*app).status),
		"surface": cli.Command((*app).surface),
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"log":   cli.Command((*app).log),
		"watch": cli.Command(runWatch),
	}
}
