// Package records has the commands for records: new, record, check and resume.
package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"new":        newCommand,
	"show":       showCommand,
	"validate":   validateCommand,
	"create":     createCommand,
	"onboard":    onboardCommand,
	"compute-id": computeIDCommand,
	"check":      checkCommand,
	"resume":     resumeCommand,
}
