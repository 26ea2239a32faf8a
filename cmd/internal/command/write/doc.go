// Package write has the commands of the group Write of `handoff help all`.
package write

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"write":     writeCommand,
	"reply":     replyCommand,
	"supersede": supersedeCommand,
}
