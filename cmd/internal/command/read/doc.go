// Package read has the commands of the group Read of `handoff help all`.
package read

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"list":    cli.Of(list),
	"read":    cli.Of(read),
	"search":  cli.Of(search),
	"thread":  cli.Of(thread),
	"status":  cli.Of(status),
	"surface": cli.Of(surface),
	"log":     cli.Of(log),
	"page":    cli.Of(makePage),
	"watch":   cli.Of(runWatch),
}
