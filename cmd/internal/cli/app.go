package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Env is what a run gets from the world.
type Env struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Getwd          func() (string, error)
	Executable     func() (string, error)

	Options  func(*handoff.Options) // changes what a store is opened with; nil leaves it
	Patience time.Duration          // of a starting session; 0 is a second
}

// An App is one run of the program: its world and the flags that every command has.
type App struct {
	Env
	Flags handoff.ProjectFlags
	JSON  bool
	Quiet bool
	Gate  Gate
	Sign  Signing

	ForAgents bool // what is printed is for agents too: an error is told in our own words
	AsIs      bool // the store is looked at, and takes over nothing of other work trees

	program  Program
	Full     *Full        // nil in the fast program
	Beyond   func() error // becomes the whole program, once; returns why that failed
	refused  *atomic.Bool // the plain check has refused a head
	consumed []byte       // what was read of standard input; nil if nothing was
	alone    error        // why the whole program cannot be run, once that is known
	notes    []string     // that come at the end, each once
	warned   *sync.Map    // the warnings that were printed: several readers of a store meet the same
	began    string       // the handoffs directory of a store that this run begins
	progress *progress
	asked    *string // --operator of the command, nil if it has none

	stopped *atomic.Pointer[os.Signal] // that has ended a context of Stoppable; nil for none

	looked *handoff.Project // was asked for its settings alone, a moment ago: the next that Project returns; nil for none
}

// readers are the commands that change no handoff and start soonest: they do without a thread that the system has to make.
var readers = []string{"version", "list", "search", "read", "receipts", "hook", "status"}

// Main is the main function of a program.
func Main(p Program) {
	debug.SetGCPercent(400) // most commands are over before collecting memory pays; see CollectOften
	if !slices.Contains(readers, commandOf(os.Args[1:])) {
		runtime.LockOSThread() // what changes a store does its system calls in one order, on the main thread
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that is gone is an error like others, not a silent death after the commit
	os.Exit(Run(Env{os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Getwd, os.Executable, nil, 0}, p))
}

// Run executes one command and returns its exit code. Errors become one sentence a line on stderr. It does not return
// where the fast program becomes the whole one.
func Run(e Env, p Program) (code int) {
	e.Args = inPresentWords(e.Args)
	a := newApp(e, p)
	a.Stdout = &pipeWriter{Writer: e.Stdout}
	defer func() {
		if bug := recover(); bug != nil { // a panic would exit 2, which means invalid input here
			fmt.Fprintf(e.Stderr, "handoff: internal error: %v\nhint: nothing is lost; run `handoff verify`, and report this\n", bug)
			code = 1
		}
	}()
	for _, answered := range p.Quick {
		if answered(a) {
			return 0
		}
	}
	a.giveWay()
	root := a.root()
	root.SetArgs(sayEmpty(a.Args))
	err := a.handOver(root.Execute())
	a.report(err)
	if stopped := a.stopped.Load(); stopped != nil && ExitOf(err).Code == 1 {
		return dieOf(*stopped)
	}
	return ExitOf(err).Code
}

func newApp(e Env, p Program) *App {
	if e.Options == nil {
		e.Options = func(*handoff.Options) {}
	}
	a := &App{Env: e, program: p, Full: p.Full, refused: new(atomic.Bool), stopped: new(atomic.Pointer[os.Signal]),
		progress: &progress{w: e.Stderr}, warned: new(sync.Map)}
	a.Beyond = sync.OnceValue(func() error { return a.handOver(ErrBeyond) })
	return a
}

// Root returns the whole tree of commands, to document it.
func Root(p Program) *cobra.Command { return newApp(Env{}, p).root() }

func (a *App) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           "handoff",
		Short:         "Hand work over: stored whole, never lost, never silently changed",
		SilenceErrors: true,
		SilenceUsage:  true,

		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkTimeout(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if version {
				return a.printVersion()
			}
			return cmd.Help()
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(Usage)
	f := root.PersistentFlags()
	f.StringVar(&a.Flags.HandoffsDir, "handoffs-dir", "", "the handoffs `directory` (default handoffs in the project root)")
	f.StringVar(&a.Flags.StateDir, "state-dir", "", "the state `directory` (default .run in the project root)")
	f.StringVar(&a.Flags.Root, "root", "", "the project root `directory` (default the nearest with .handoff.yaml, or the git work tree)")
	f.StringVar(&a.Flags.OperatorsFile, "operators-file", "",
		"the `file` in which write and operators look names up (default the one of the project, which alone decides)")
	Duration(f, &a.Flags.LockTimeout, "lock-timeout", "how long to wait for the lock, a `duration` (default 30s)")
	f.BoolVar(&a.JSON, "json", false, "print machine-readable JSON")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print no warnings and notes")
	a.finishFlags(root, f)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	explain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root {
			explain(cmd, args)
			return
		}
		_ = a.firstScreen(root)
	})
	a.addCommands(root)
	return root
}

// checkTimeout makes a lock timeout of 0 one that only tries: in the flags 0 means that none is given.
func (a *App) checkTimeout(cmd *cobra.Command) error {
	switch timeout := &a.Flags.LockTimeout; {
	case *timeout < 0:
		return Usage(cmd, fmt.Errorf("--lock-timeout must not be negative: %v", *timeout))
	case *timeout == 0 && cmd.Flags().Changed("lock-timeout"):
		*timeout = 1
	}
	return nil
}

func rootHelp() string {
	var b strings.Builder
	b.WriteString("handoff stores markdown documents that hand work over, gives each an id that is the\nSHA-256 of its content, lists them in INDEX.md, and shows them to whoever they are for.\n\nExit codes:\n")
	for _, e := range Exits {
		fmt.Fprintf(&b, "  %2d  %s\n", e.Code, e.Meaning)
	}
	return b.String()
}

// Project returns the project that the flags, the environment and the working directory name.
func (a *App) Project() (handoff.Project, error) {
	if p := a.looked; p != nil {
		a.looked = nil
		return *p, nil
	}
	cwd, err := a.Getwd()
	if err != nil {
		return handoff.Project{}, &handoff.Error{Class: handoff.ErrConfig, Problem: "the current directory cannot be used: " + err.Error(), Advice: "change into a directory that is there", Cause: err}
	}
	p, err := handoff.LoadProject(cwd, a.Getenv, a.Flags)
	if err != nil {
		return p, err
	}
	if p.Foreign != "" {
		a.remember(p.Foreign + " belongs to somebody else and was passed over: the project is " + p.Root + "; name another one with --root")
	}
	if p.Apart != "" {
		a.remember("this linked work tree has handoffs of its own: " + p.Apart)
	}
	if me := p.Options.Me; a.asked != nil {
		p.Options.Me = func() string { return cmp.Or(*a.asked, me()) }
	}
	p.Options.Rules = a.plainRules
	if a.Full != nil {
		p.Options.Rules, p.Options.CheckBody = a.Full.Rules, a.Full.CheckBody
	}
	a.Signatures(p, &p.Options)
	p.Options.Warn, p.Options.Lost = a.warn, a.lost
	if !a.Quiet && IsTerminal(a.Stderr) {
		p.Options.Progress = a.progress.show
	}
	p.Options.Redact, p.Options.AllowSecrets, p.Options.Restore = a.Gate.Redact, a.Gate.Allow, a.Gate.Restore
	a.Options(&p.Options)
	if a.Getenv("LOA_HANDOFF_DISABLE_FINGERPRINT") != "" && p.Options.Fingerprint == nil {
		a.remember("LOA_HANDOFF_DISABLE_FINGERPRINT is ignored: it is honoured in test binaries only")
	}
	return p, nil
}

// remember keeps a note for the end where another program may do the work, and say it.
func (a *App) remember(note string) {
	switch {
	case a.Full != nil:
		a.Note(note)
	case !slices.Contains(a.notes, note):
		a.notes = append(a.notes, note)
	}
}

// plainRules is the plain check of a head, and remembers that it has refused one.
func (a *App) plainRules(head any) []handoff.Fault {
	faults := handoff.PlainRules(head)
	if len(faults) > 0 {
		a.refused.Store(true)
	}
	return faults
}

// CollectOften is for commands that go through a whole store: of a large one, memory counts for more than time.
func CollectOften() {
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(softLimit)
}

// softLimit is what a command that goes through a whole store may take before it collects more often
// still.
const softLimit = 208 << 20

// Now returns the time of the store's clock.
func (a *App) Now() time.Time {
	o := handoff.Options{Now: time.Now}
	a.Options(&o)
	return o.Now()
}

// UTCNow returns the time of the store's clock, as ts_utc has it.
func (a *App) UTCNow() string { return a.Now().UTC().Format(time.RFC3339) }
