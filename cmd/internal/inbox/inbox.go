// Package inbox is the full screen of `handoff inbox`: a list of handoffs beside the one that is looked at.
//
//	inbox.go    begins and ends the program, and leaves the terminal as it was
//	model.go    what is shown and what changes it, with no terminal needed
//	keys.go     the table of keys, which help and hints are made from
//	prompt.go   the line in which a filter or a search is typed
//	list.go     which handoffs are listed: views, filter, search
//	load.go     reads the store, and looks whether it changed
//	preview.go  reads one handoff, and shows it
//	act.go      what a person does with one
//	view.go     puts the screen together
//
// Nothing that takes time happens in Update: rows, bodies and changes of the store come from commands. A row costs memory, a
// body does not: only the one that is looked at is read. All text that others wrote is escaped before it is
// shown. Colours are the 16 of the terminal, so that nobody has to ask it whether it is light or dark.
package inbox

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// softLimit is how much memory is used before it is collected more often than in commands that are soon over.
const softLimit = 80 << 20

// patience is how long a change waits for the lock while somebody looks on.
const patience = 5 * time.Second

// Run shows the inbox of an operator, of who runs the program if that is "", until its user leaves it. Without a terminal, or on one that has no screen, the error is ErrInvalid.
func Run(a *cli.App, operator string, compose Compose) error {
	in, out := cli.Terminal(a.Stdin), cli.Terminal(a.Stdout)
	if in == nil || out == nil || a.Getenv("TERM") == "dumb" {
		return cli.Invalid("`handoff list` prints handoffs anywhere", "the inbox needs a terminal with a screen for input and output")
	}
	debug.SetMemoryLimit(softLimit)
	p, err := a.Project()
	if err == nil {
		err = p.Exists()
	}
	if err != nil {
		return err
	}
	said := &notes{}
	p.Options.Warn, p.Options.Lost, p.Options.Progress = said.add, func(err error) { said.add(sentence(err)) }, nil
	if a.Flags.LockTimeout == 0 {
		p.Options.LockTimeout = min(p.Options.LockTimeout, patience)
	}
	a.Gather(&p)
	remote := a.Remote(p)
	remote.Asks = false // the terminal is ours
	p.Options.Once = exchange.Once(remote)
	s, err := handoff.Open(p.Options)
	if err != nil {
		return err
	}
	m := newModel(s, p.Options, cmp.Or(operator, p.Me()))
	m.project, m.said, m.compose = filepath.Base(p.Root), said, compose
	m.work = func(references []string) string { return cli.WorkLine(p, references) }
	return show(m, in, out, a.Getenv)
}

// show runs the program. A panic in it is one here, once the terminal is as it was.
func show(m *model, in, out *os.File, getenv func(string) string) error {
	colours := colorprofile.ANSI
	if getenv("NO_COLOR") != "" {
		colours = colorprofile.ASCII
	}
	g := &guarded{model: m}
	program := tea.NewProgram(g, tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environment(getenv)), tea.WithColorProfile(colours), tea.WithFPS(120), tea.WithoutSignalHandler(), tea.WithFilter(sized))
	g.quit = program.Quit
	stop := heed(program, m)
	defer stop()
	_, err := program.Run()
	if g.bug != nil {
		panic(g.bug)
	}
	return err
}

// sized gives a terminal that does not know its size the usual one.
func sized(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, is := msg.(tea.WindowSizeMsg); is && (size.Width <= 0 || size.Height <= 0) {
		return tea.WindowSizeMsg{Width: 80, Height: 24}
	}
	return msg
}

// environment is what the terminal is known by.
func environment(getenv func(string) string) (env []string) {
	for _, name := range []string{"TERM", "TERM_PROGRAM", "NO_COLOR", "SSH_TTY", "WT_SESSION"} {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// guarded is the model with its panics caught, also those of its commands.
type guarded struct {
	*model
	quit func()
	mu   sync.Mutex
	bug  any
}

type bugMsg struct{}

func (g *guarded) Init() tea.Cmd { return g.watch(g.model.Init()) }

func (g *guarded) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if bug := recover(); bug != nil {
			g.keep(bug)
			cmd = tea.Quit
		}
	}()
	switch msg := msg.(type) {
	case bugMsg:
		return g, tea.Quit
	default:
		_, cmd = g.model.Update(msg)
		return g, g.watch(cmd)
	}
}

func (g *guarded) View() (view tea.View) {
	defer func() {
		if bug := recover(); bug != nil {
			g.keep(bug)
			go g.quit()
			view = tea.View{AltScreen: true}
		}
	}()
	return g.model.View()
}

func (g *guarded) keep(bug any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bug == nil {
		g.bug = bug
	}
}

// watch returns a command whose panic ends the program in order.
func (g *guarded) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if bug := recover(); bug != nil {
				g.keep(bug)
				msg = bugMsg{}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, cmd := range batch {
				batch[i] = g.watch(cmd)
			}
		}
		return msg
	}
}

// notes are what the store says beside its results. They come from commands.
type notes struct {
	mu   sync.Mutex
	last string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = text
}

// take returns the last note, once.
func (n *notes) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.last
	n.last = ""
	return text
}

// sentence is an error in one line, with what can be done about it.
func sentence(err error) string {
	text := err.Error()
	if e := (*handoff.Error)(nil); errors.As(err, &e) && e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}
