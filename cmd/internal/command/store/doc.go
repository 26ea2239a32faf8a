// Package store has the commands of the group Store of `handoff help all`.
package store

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of both programs.
func Commands() cli.Commands {
	return cli.Commands{
		"init":               (*app).init,
		"whoami":             (*app).whoami,
		"operators list":     (*app).listOperators,
		"operators verify":   (*app).verifyOperator,
		"operators validate": (*app).validateOperators,
		"operators add":      (*app).addOperator,
		"operators trust":    (*app).trust,
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"sync":                      (*app).sync,
		"export":                    (*app).export,
		"import":                    (*app).importBundle,
		"sign":                      (*app).sign,
		"verify":                    (*app).verify,
		"doctor":                    (*app).doctor,
		"doctor machine show":       (*app).showMachine,
		"doctor machine regenerate": (*app).regenerate,
	}
}
