// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"next":      nextCommand,
	"take":      takeCommand,
	"release":   releaseCommand,
	"done":      doneCommand,
	"mark-read": markReadCommand,
	"withdraw":  withdrawCommand,
	"archive":   archiveCommand,
}
