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
		"write":         (*app).write,
		"reply":         (*app).reply,
		"supersede":     (*app).supersede,
		"draft save":    (*app).saveDraft,
		"draft list":    (*app).listDrafts,
		"draft show":    (*app).showDraft,
		"draft publish": (*app).publishDraft,
		"draft discard": (*app).discardDrafts,
	}
}
