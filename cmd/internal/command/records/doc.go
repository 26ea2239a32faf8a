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
		"new":             (*app).create,
		"record show":     (*app).show,
		"record validate": (*app).validate,
		"record repair":   (*app).repair,
		"record create":   createRun,
		"record hop":      (*app).hop,
		"record onboard":  (*app).onboard,
		"record id":       (*app).ids,
		"check":           (*app).check,
		"resume":          (*app).resume,
		"probes allow":    (*app).allowProbes,
		"probes forget":   (*app).forgetProbes,
	}
}
