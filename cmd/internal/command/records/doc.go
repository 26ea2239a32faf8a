// Package records has the commands for records, which only the full program has: new, record, check, resume and probes.
package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Commands{
		"new":             cli.Command((*app).create),
		"record show":     cli.Command((*app).show),
		"record validate": cli.Command((*app).validate),
		"record repair":   cli.Command((*app).repair),
		"record create":   cli.Command(createRun),
		"record hop":      cli.Command((*app).hop),
		"record onboard":  cli.Command((*app).onboard),
		"record id":       cli.Command((*app).ids),
		"check":           cli.Command((*app).check),
		"resume":          cli.Command((*app).resume),
		"probes allow":    cli.Command((*app).allowProbes),
		"probes list":     cli.Command((*app).listProbes),
		"probes forget":   cli.Command((*app).forgetProbes),
	}
}
