// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"next":      (*app).next,
		"take":      (*app).take,
		"release":   noted(handoff.ActRelease),
		"done":      (*app).done,
		"mark-read": (*app).markRead,
		"withdraw":  noted(handoff.ActWithdraw),
		"archive":   (*app).archive,
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"approve": (*app).approve,
		"prune":   (*app).prune,
	}
}
