package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ProjectStore loads the project and opens its store. Outside a project it is an error.
func (a *App) ProjectStore() (handoff.Project, *handoff.Store, error) {
	return a.StoreWith(unchanged)
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
	return a.Open(p, change)
}

func unchanged(*handoff.Project) {}

// Open opens the store of a project, with the options that change sets.
func (a *App) Open(p handoff.Project, change func(*handoff.Project)) (handoff.Project, *handoff.Store, error) {
	change(&p)
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
	return a.Open(p, unchanged)
}

// Remote returns the options for exchanging the handoffs of a project.
func (a *App) Remote(p handoff.Project) exchange.Options {
	return exchange.Options{Root: p.Root, Remote: exchange.RemoteOf(p), Namespace: p.Settings.SyncNamespace.Value,
		Environ: os.Environ(), Asks: IsTerminal(a.Stderr), Now: p.Options.Now, Wait: p.Options.LockTimeout,
		Objects: func(ctx context.Context, remote string) (objects.Store, string, error) {
			r := p.User.Remotes[remote]
			if r == nil {
				return nil, "", nil
			}
			b, err := bucket.Open(ctx, bucket.Config{URL: r.URL.Value, Endpoint: r.Endpoint.Value,
				Region: r.Region.Value, Profile: r.Profile.Value, Getenv: a.Getenv})
			if err != nil {
				return nil, "", err
			}
			return b, b.URL(), nil // its URL names the endpoint too: another server may have a bucket of this name
		}}
}

// Stoppable returns a context that ends with the first signal to end the program; the second one ends the program at
// once. A child process, such as a git that waits for a remote, would outlive the program and block the next one. A
// command that fails because of the signal cleans up, then dies of it, as shells and supervisors expect.
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

// Offline holds the flag of actions that do not ask the remote.
type Offline struct{ Offline bool }

// Declare adds the flag.
func (o *Offline) Declare(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Offline, "offline", false, "do not ask the remote; the next sync reports a conflict")
}

// OnceStore is ProjectStore for actions that only one of all clones can do.
func (a *App) OnceStore(o Offline) (handoff.Project, *handoff.Store, error) {
	return a.StoreWith(func(p *handoff.Project) {
		p.Options.Once, p.Options.Offline = exchange.Once(a.Remote(*p)), o.Offline
	})
}
