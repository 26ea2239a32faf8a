// Package write has the commands of the group Write of `handoff help all`.
package write

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// An app is one run of the program.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Commands{
		"write":         cli.Command((*app).write),
		"reply":         cli.Command((*app).reply),
		"supersede":     cli.Command((*app).supersede),
		"draft save":    cli.Command((*app).saveDraft),
		"draft list":    cli.Command((*app).listDrafts),
		"draft show":    cli.Command((*app).showDraft),
		"draft publish": cli.Command((*app).publishDraft),
		"draft discard": cli.Command((*app).discardDrafts),
	}
}
