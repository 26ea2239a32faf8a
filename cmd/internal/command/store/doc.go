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
		"init":               cli.Command((*app).init),
		"whoami":             cli.Command((*app).whoami),
		"operators list":     cli.Command((*app).listOperators),
		"operators verify":   cli.Command((*app).verifyOperator),
		"operators validate": cli.Command((*app).validateOperators),
		"operators add":      cli.Command((*app).addOperator),
		"operators trust":    cli.Command((*app).trust),
	}
}

// FullCommands returns the commands that only the full program has.
func FullCommands() cli.Commands {
	return cli.Commands{
		"sync":                      cli.Command((*app).sync),
		"export":                    cli.Command((*app).export),
		"import":                    cli.Command((*app).importBundle),
		"sign":                      cli.Command((*app).sign),
		"verify":                    cli.Command((*app).verify),
		"doctor":                    cli.Command((*app).doctor),
		"doctor machine show":       cli.Command((*app).showMachine),
		"doctor machine regenerate": cli.Command((*app).regenerate),
	}
}
