package cli

import (
	"os/exec"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// IsSyncing records that the command syncs, so that no background sync follows it.
func (a *App) IsSyncing() { a.inUse = nil }

// syncLater starts a background sync if the command has changed the store, and the user wants that. It does not wait,
// and ignores failures: handoff status reports those of the sync.
func (a *App) syncLater() {
	if a.changed && a.inUse != nil {
		a.SyncByItself(*a.inUse)
	}
}

// SyncByItself starts a background sync of a project, if the user's configuration says sync: auto.
func (a *App) SyncByItself(p handoff.Project) {
	if p.User.Sync.Value != handoff.SyncAuto || !p.Options.Git.IsShared() || a.Executable == nil {
		return
	}
	program, err := a.Executable()
	if err != nil {
		return
	}
	cmd := exec.Command(program, "--root", p.Root, "--handoffs-dir", p.Options.Dir, "--state-dir", p.Options.StateDir,
		"sync", "--background")
	cmd.Dir = p.Root
	detach(cmd)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // a server would keep a zombie of each sync
	}
}
