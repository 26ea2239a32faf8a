// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"next":      next,
		"take":      take,
		"release":   noted(handoff.ActRelease),
		"done":      done,
		"mark-read": markRead,
		"withdraw":  noted(handoff.ActWithdraw),
		"archive":   archive,
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"approve": approve,
		"prune":   prune,
	}
}
