// Package read has the commands of the group Read of `handoff help all`.
package read

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"list":    listCommand,
	"read":    readCommand,
	"search":  searchCommand,
	"thread":  threadCommand,
	"status":  statusCommand,
	"surface": surfaceCommand,
	"log":     logCommand,
	"page":    pageCommand,
	"watch":   watchCommand,
}
