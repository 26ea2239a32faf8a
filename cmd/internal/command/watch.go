package command

import (
	"github.com/spf13/cobra"

	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type watchFlags struct {
	*cli.Who
	Exec string // a command for each new handoff
}

// A watch is one run of the command.
type watch struct {
	*cli.App
	*watchFlags
	to string
}

func watchCommand(a *cli.App) *cobra.Command {
	f := &watchFlags{Who: &a.Who}
	cmd := &cobra.Command{
		Use:   "watch [--exec COMMAND]",
		Short: "Wait for new handoffs; print each, or run a command",
		Long: `Wait for new handoffs to you. Each is printed as a line of JSON; on a terminal
as a line for people. watch runs until you interrupt it. Handoffs that exist
when it starts are not new.

--exec runs a command with sh for each handoff, one at a time. The command gets
the JSON on standard input and the id in HANDOFF_ID.`,
		Example: `  handoff watch
  handoff watch --exec 'handoff read $HANDOFF_ID --agent'`,
		RunE: func(_ *cobra.Command, _ []string) error { return runWatch(a, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Exec, "exec", "", "run this `command` for each new handoff")
	return cmd
}

func runWatch(a *cli.App, f *watchFlags) error {
	w := watch{App: a, watchFlags: f}
	return w.start()
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
	if w.to, err = w.Acting(p, s, w.Operator); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return w.run(ctx, s)
}

// run looks for new handoffs whenever the directory changes.
func (w *watch) run(ctx context.Context, s *handoff.Store) error {
	changes, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer changes.Close()
	seen, err := w.look(s, nil)
	for err == nil {
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
func (w watch) wait(ctx context.Context, changes *fsnotify.Watcher, s *handoff.Store) error {
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
func (w watch) look(s *handoff.Store, seen map[string]bool) (map[string]bool, error) {
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

func (w watch) tell(e handoff.Listed) error {
	text, err := handoff.JSON(e, "")
	if err != nil {
		return err
	}
	if err := w.Print(text); err != nil {
		return err
	}
	if w.Exec == "" {
		return nil
	}
	cmd := exec.Command("sh", "-c", w.Exec)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(text), w.Stdout, w.Stderr
	cmd.Env = append(os.Environ(), "HANDOFF_ID="+e.ID)
	if err := cmd.Run(); err != nil {
		w.Note("the command for " + cli.Short(e.ID, 8) + " ended with " + err.Error())
	}
	return nil
}
