package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A watch is one run of the command.
type watch struct {
	*cli.App
	to  string
	run []string // the command for each new handoff, and its arguments
}

func watchCommand(a *cli.App) *cobra.Command {
	w, isExec := &watch{App: a}, false
	cmd := &cobra.Command{
		Use:   "watch [--exec COMMAND ARG…]",
		Short: "Wait for new handoffs; print each, or run a command",
		Long: `Wait for new handoffs to you, and print each as a line of JSON. watch runs until
you interrupt it. Handoffs that exist when it starts are not new.

--exec runs a command for each handoff, one at a time and without a shell. The
command gets the JSON on standard input. All words after --exec are the command
and its arguments.`,
		Example: `  handoff watch
  handoff watch --exec notify-me --urgent`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if w.run = args; isExec != (len(args) > 0) {
				return cli.Invalid("usage: handoff watch --exec COMMAND ARG…", "--exec and a command need each other")
			}
			return w.start()
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&isExec, "exec", false, "run the command that follows for each new handoff")
	return cmd
}

const (
	settles = 50 * time.Millisecond // wait so long after a change before the index is read
	// look so often for changes without a notification, such as those of another machine
	looks = 30 * time.Second
)

// start watches the project until it is interrupted.
func (w *watch) start() error {
	p, s, err := w.ProjectStore()
	if err != nil {
		return err
	}
	if w.to, err = w.Acting(p, s, w.Who.Operator); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return w.follow(ctx, s)
}

// follow looks for new handoffs whenever the directory changes.
func (w *watch) follow(ctx context.Context, s *handoff.Store) error {
	changes, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer changes.Close()
	seen, err := w.look(s, nil)
	for err == nil {
		w.SyncSoon()
		if err = w.wait(ctx, changes, s); errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		seen, err = w.look(s, seen)
	}
	return err
}

// wait waits until the directory may have changed. If the directory does not exist yet, wait watches its parent.
func (w *watch) wait(ctx context.Context, changes *fsnotify.Watcher, s *handoff.Store) error {
	for {
		_ = changes.Add(s.Dir()) // fails while it is not there
		if len(changes.WatchList()) == 0 {
			if err := changes.Add(filepath.Dir(s.Dir())); err != nil {
				return fault.Config("", "cannot watch the directory: %v", err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-changes.Events:
			if e.Name != s.Dir() && filepath.Dir(e.Name) != s.Dir() { // a file of the parent, such as our own output
				continue
			}
			time.Sleep(settles)
		case <-changes.Errors:
		case <-time.After(looks):
		}
		return nil
	}
}

// look reports the handoffs that are not in seen, and returns all it found. The first look has seen nil and reports
// none.
func (w *watch) look(s *handoff.Store, seen map[string]bool) (map[string]bool, error) {
	entries, err := s.List(handoff.Filter{To: w.to})
	if err != nil {
		return seen, err
	}
	all := make(map[string]bool, len(entries))
	var fresh []handoff.Entry
	for _, e := range entries {
		if all[e.ID] = true; seen != nil && !seen[e.ID] {
			fresh = append(fresh, e)
		}
	}
	for id := range seen {
		all[id] = true // a handoff that disappears for a moment is not new again
	}
	for _, e := range s.Listed(fresh) {
		if err := w.tell(e); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (w *watch) tell(e handoff.Entry) error {
	text, err := handoff.JSON(e, "")
	if err != nil {
		return err
	}
	if err := w.Print(text); err != nil {
		return err
	}
	if len(w.run) == 0 {
		return nil
	}
	cmd := exec.Command(w.run[0], w.run[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), w.Stdout, w.Stderr
	if err := cmd.Run(); err != nil {
		w.Note("the command for " + cli.Short(e.ID, cli.Shortest) + " failed: " + err.Error())
	}
	return nil
}
