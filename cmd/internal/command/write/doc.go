// Package write has the commands of the group Write of `handoff help all`.
package write

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// Commands returns the commands of the package.
func Commands() cli.Commands {
	return cli.Commands{
		"write":         write,
		"reply":         reply,
		"supersede":     supersede,
		"draft save":    saveDraft,
		"draft list":    listDrafts,
		"draft show":    showDraft,
		"draft publish": publishDraft,
		"draft discard": discardDrafts,
	}
}
