// Package tui is the full screen of `handoff inbox`: a list of handoffs, and the chosen one next to it.
//
//	inbox.go    starts and ends the program, and restores the terminal
//	model.go    the state of the screen and its changes, without a terminal
//	keys.go     the table of keys, for help and hints
//	list.go     the handoffs in three sections, and the chosen one
//	search.go   the line for a search, and the handoffs that it finds
//	load.go     reads the store, and watches for changes
//	preview.go  reads and shows one handoff
//	act.go      runs the commands of the keys, and undoes them
//	view.go     draws the screen; rows.go the list, board.go the board
//
// List and board show the same sections, below or next to each other. Update does nothing slow: commands read rows,
// bodies and changes of the store. Rows stay in memory, bodies do not: only the chosen one is read. All text from
// others is escaped before it is shown. The colors are the terminal's 16, so that they suit a light and a dark
// background.
package tui

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Commands has the command.
var Commands = cli.Commands{"inbox": inboxCommand}

func inboxCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "inbox",
		Short: "Read, take and finish handoffs, full screen",
		Long: `Read, take and finish handoffs, full screen: a list of what is unread, taken
and done, and the chosen handoff next to it; b shows the same as a board. Keys
read, take, finish and reply to it; u undoes the last key; ? lists them all. New
handoffs appear as they arrive. On a terminal in a project, handoff without a
command opens the inbox too.

Everything is shown as text: no body can control the terminal. NO_COLOR turns
colors off.`,
		Example: `  handoff inbox
  handoff inbox --operator ben`,
		RunE: func(_ *cobra.Command, _ []string) error { return run(a) },
	}
}

// run shows the inbox of an operator until the user leaves it. Without a terminal that can show it, the error is
// ErrInvalid.
func run(a *cli.App) error {
	in, out := cli.Terminal(a.Stdin), cli.Terminal(a.Stdout)
	if in == nil || out == nil || a.Getenv("TERM") == "dumb" {
		return cli.Invalid("run `handoff list`", "the inbox needs a terminal for input and output")
	}
	p, err := a.Project()
	if err == nil {
		err = p.Exists()
	}
	if err != nil {
		return err
	}
	p.Options.Warn, p.Options.Progress = nil, nil
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	m := newModel(s, p.Options, p.MeOr(a.Who.Operator))
	m.project, m.run, m.colors = filepath.Base(p.Root), a.Again, a.Getenv("NO_COLOR") == ""
	m.work = cli.WorkOf(p)
	return show(m, in, out)
}

// show runs the program. After a panic in it the terminal is restored too.
func show(m *model, in, out *os.File) error {
	colors := colorprofile.ANSI
	if !m.colors {
		colors = colorprofile.ASCII
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGTERM)
	defer stop()
	program := tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithColorProfile(colors),
		tea.WithFPS(120), tea.WithoutSignalHandler(), tea.WithFilter(sized))
	defer context.AfterFunc(ctx, program.Quit)() // the end of a context would not wait for the reader of keys
	_, err := program.Run()
	return err
}

// sized gives a terminal that does not report its size the usual one.
func sized(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, is := msg.(tea.WindowSizeMsg); is && (size.Width <= 0 || size.Height <= 0) {
		return tea.WindowSizeMsg{Width: 80, Height: 24}
	}
	return msg
}
