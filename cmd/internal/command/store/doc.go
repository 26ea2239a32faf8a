// Package store has the commands of the group Store of `handoff help all`.
package store

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands are the commands of the package.
var Commands = cli.Commands{
	"init":                           cli.Of(setUp),
	"whoami":                         cli.Of(whoami),
	"operators list":                 cli.Of(listOperators),
	"operators verify":               cli.Of(verifyOperator),
	"operators validate":             cli.Of(validateOperators),
	"operators add":                  cli.Of(addOperator),
	"operators trust":                cli.Of(trust),
	"sync":                           cli.Of(sync),
	"export":                         cli.Of(export),
	"import":                         cli.Of(importBundle),
	"sign":                           cli.Of(sign),
	"verify":                         cli.Of(verify),
	"doctor":                         cli.Of(doctor),
	"machine-fingerprint show":       cli.Of(showMachine),
	"machine-fingerprint regenerate": cli.Of(regenerate),
}
