// Package store has the commands of the group Store of `handoff help all`.
package store

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"init":               setUp,
		"whoami":             whoami,
		"operators list":     listOperators,
		"operators verify":   verifyOperator,
		"operators validate": validateOperators,
		"operators add":      addOperator,
		"operators trust":    trust,
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"sync":                      sync,
		"export":                    export,
		"import":                    importBundle,
		"sign":                      sign,
		"verify":                    verify,
		"doctor":                    doctor,
		"doctor machine show":       showMachine,
		"doctor machine regenerate": regenerate,
	}
}
