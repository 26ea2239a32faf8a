// Package work has the commands of the group Work of `handoff help all`.
package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"next":      cli.Of(next),
	"take":      cli.Of(take),
	"release":   cli.Of(noted(handoff.ActRelease)),
	"done":      cli.Of(done),
	"mark-read": cli.Of(markRead),
	"withdraw":  cli.Of(noted(handoff.ActWithdraw)),
	"archive":   cli.Of(archive),
	"prune":     cli.Of(prune),
}
