// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"next":      cli.Command((*app).next),
		"take":      cli.Command((*app).take),
		"release":   cli.Command((*app).release),
		"done":      cli.Command((*app).done),
		"mark-read": cli.Command((*app).markRead),
		"withdraw":  cli.Command((*app).withdraw),
		"archive":   cli.Command((*app).archive),
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"approve": cli.Command((*app).approve),
		"prune":   cli.Command((*app).prune),
	}
}
