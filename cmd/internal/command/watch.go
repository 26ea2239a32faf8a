package command

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
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

	seen map[string]bool // the ids of all that were there
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

// start looks for new handoffs whenever the directory changes, until it is interrupted.
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
	changes, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer changes.Close()
	err = w.look(s)
	for err == nil && ctx.Err() == nil {
		w.SyncSoon()
		if err = w.wait(ctx, changes, s); err == nil && ctx.Err() == nil {
			err = w.look(s)
		}
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

// look reports the handoffs that are not in seen, and adds them. The first look reports none. A handoff that disappears
// for a moment is not new again.
func (w *watch) look(s *handoff.Store) error {
	entries, err := s.List(handoff.Filter{To: w.to})
	if err != nil {
		return err
	}
	isFirst := w.seen == nil
	if isFirst {
		w.seen = make(map[string]bool, len(entries))
	}
	entries = slices.DeleteFunc(entries, func(e handoff.Entry) bool { return w.seen[e.ID] })
	for _, e := range entries {
		w.seen[e.ID] = true
	}
	if isFirst {
		return nil
	}
	for _, e := range s.Listed(entries) {
		if err := w.tell(e); err != nil {
			return err
		}
	}
	return nil
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
