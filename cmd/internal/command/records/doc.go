// Package records has the commands for records: new, record, check and resume.
package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"new":        cli.Of(create),
	"show":       cli.Of(show),
	"validate":   cli.Of(validate),
	"create":     cli.Of(createRun),
	"onboard":    cli.Of(onboard),
	"compute-id": cli.Of(ids),
	"check":      cli.Of(check),
	"resume":     cli.Of(resume),
}
