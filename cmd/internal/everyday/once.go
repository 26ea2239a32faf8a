package everyday

import (
	"os"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/replica"
)

// OfflineUsage is the usage of the flag --offline of commands that do what may be done once.
const OfflineUsage = "do it without asking the git remote whether somebody else was the first; the next sync says so"

// Remote says with what the handoffs of a project are exchanged.
func (a *App) Remote(p handoff.Project) replica.Options {
	return replica.Options{Root: p.Root, Remote: p.Settings.Remote.Value, Namespace: p.Settings.SyncNamespace.Value,
		Environ: os.Environ(), Asks: IsTerminal(a.Stderr), Now: p.Options.Now, Wait: p.Options.LockTimeout}
}

// OnceStore is ProjectStore for a command that does what may be done once in all clones.
func (a *App) OnceStore(offline bool) (handoff.Project, *handoff.Store, error) {
	p, err := a.Project()
	if err == nil {
		err = p.Exists()
	}
	if err != nil {
		return p, nil, err
	}
	p.Options.Once, p.Options.Offline = replica.Once(a.Remote(p)), offline
	s, err := handoff.Open(p.Options)
	return p, s, err
}
