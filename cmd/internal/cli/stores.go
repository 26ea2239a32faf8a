package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ProjectStore opens the store of the project, for a command that needs the project's settings as well. Outside of a
// project there is nothing to read, and that is said.
func (a *App) ProjectStore() (handoff.Project, *handoff.Store, error) {
	return a.StoreWith(func(*handoff.Project) {})
}

// StoreWith is ProjectStore with other options.
func (a *App) StoreWith(change func(*handoff.Project)) (handoff.Project, *handoff.Store, error) {
	p, err := a.Project()
	if err == nil {
		err = p.Exists()
	}
	if err != nil {
		return p, nil, err
	}
	a.Gather(&p)
	change(&p)
	s, err := handoff.Open(p.Options)
	return p, s, err
}

// Gather takes over what other work trees have.
func (a *App) Gather(p *handoff.Project) {
	if p.Options.Rules == nil { // of a session hook, which writes nothing else
		p.Options.Rules = a.plainRules
	}
	if !a.AsIs {
		exchange.Gather(context.Background(), p)
	}
}

// Store is ProjectStore for a command that needs the store alone.
func (a *App) Store() (*handoff.Store, error) {
	_, s, err := a.ProjectStore()
	return s, err
}

// NewStore is ProjectStore for a command that begins a store where there is none. Committed says so then.
func (a *App) NewStore() (handoff.Project, *handoff.Store, error) {
	p, err := a.Project()
	if err != nil {
		return p, nil, err
	}
	if p.Exists() != nil {
		a.began = p.Options.Dir
	}
	a.Gather(&p)
	s, err := handoff.Open(p.Options)
	return p, s, err
}

// OfflineUsage is the usage of the flag --offline of commands that do what may be done once.
const OfflineUsage = "do it without asking the git remote whether somebody else was the first; the next sync says so"

// Remote says with what the handoffs of a project are exchanged.
func (a *App) Remote(p handoff.Project) exchange.Options {
	return exchange.Options{Root: p.Root, Remote: p.Settings.Remote.Value, Namespace: p.Settings.SyncNamespace.Value,
		Environ: os.Environ(), Asks: IsTerminal(a.Stderr), Now: p.Options.Now, Wait: p.Options.LockTimeout}
}

// Stoppable is a context that ends when the program is to end, as the first signal says; the second one ends it at
// once. What it has started, such as a git that waits for a remote, would outlive it, and keep the next from its
// work. A command that fails for it dies of that signal once all is cleaned up, as shells and supervisors expect.
func (a *App) Stoppable() (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 { // none named would be all that there are
		return ctx, stop
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			a.stopped.Store(&s)
		case <-ctx.Done():
		}
		signal.Stop(got)
		stop()
	}()
	return ctx, stop
}

// OnceStore is ProjectStore for a command that does what may be done once in all clones.
func (a *App) OnceStore(offline bool) (handoff.Project, *handoff.Store, error) {
	return a.StoreWith(func(p *handoff.Project) {
		p.Options.Once, p.Options.Offline = exchange.Once(a.Remote(*p)), offline
	})
}
