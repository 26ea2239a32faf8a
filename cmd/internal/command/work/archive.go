package work

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type archiveFlags struct {
	*cli.Who
	Undo bool
}

func archive(a *cli.App, f *archiveFlags, ids []string) error {
	act := handoff.ActArchive
	if f.Undo {
		act = handoff.ActUnarchive
	}
	return perform(a, cli.Offline{}, act, ids, handoff.Consumption{}, nil)
}
