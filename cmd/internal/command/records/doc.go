// Package records has the commands for records: new, record, check and resume.
package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"new":             cli.Of(create),
	"record show":     cli.Of(show),
	"record validate": cli.Of(validate),
	"record create":   cli.Of(createRun),
	"record onboard":  cli.Of(onboard),
	"record id":       cli.Of(ids),
	"check":           cli.Of(check),
	"resume":          cli.Of(resume),
}
