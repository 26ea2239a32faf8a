package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ProjectStore loads the project and opens its store. Outside a project it is an error.
func (a *App) ProjectStore() (handoff.Project, *handoff.Store, error) {
	p, err := a.Project()
	if err == nil {
		err = p.Exists()
	}
	if err != nil {
		return p, nil, err
	}
	s, err := handoff.Open(p.Options)
	return p, s, err
}

// Store opens the store of the project.
func (a *App) Store() (*handoff.Store, error) {
	_, s, err := a.ProjectStore()
	return s, err
}

// NewStore is ProjectStore for commands that create a missing store. Committed then notes it.
func (a *App) NewStore() (handoff.Project, *handoff.Store, error) {
	p, err := a.Project()
	if err != nil {
		return p, nil, err
	}
	if p.Exists() != nil {
		a.began = p.Options.Dir
	}
	s, err := handoff.Open(p.Options)
	return p, s, err
}

// NoteNothing prints on a terminal that nothing was found.
func (a *App) NoteNothing(text string) {
	if IsTerminal(a.Stdout) {
		a.Note(text)
	}
}

// SyncStore opens the store of the project with a remote that the user names, "" for that of the settings.
func (a *App) SyncStore(named string) (*handoff.Store, error) {
	p, err := a.Project()
	if err != nil {
		return nil, err
	}
	a.useRemote(&p, named)
	return handoff.Open(p.Options)
}

// Stoppable returns a context that ends with the first signal to end the program, so that what runs for it ends too.
// The second one ends the program at once.
func (a *App) Stoppable() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}
