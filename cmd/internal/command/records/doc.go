// Package records has the commands for records, which only the full program has: new, record, check, resume and probes.
package records

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Commands{
		"new":             create,
		"record show":     show,
		"record validate": validate,
		"record repair":   repair,
		"record create":   createRun,
		"record hop":      hop,
		"record onboard":  onboard,
		"record id":       ids,
		"check":           check,
		"resume":          resume,
		"probes allow":    allowProbes,
		"probes forget":   forgetProbes,
	}
}
