package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Env is the environment of a run.
type Env struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Getwd          func() (string, error)
	Executable     func() (string, error)

	Options  func(*handoff.Options) // changes the options of a store; nil changes nothing
	Patience time.Duration          // how long a session hook may take; 0 is a second
}

// An App is one run of the program: its environment and the common flags.
type App struct {
	Env
	Flags handoff.ProjectFlags
	JSON  bool
	Quiet bool

	Who     Who
	Session Session
	self    *agent.Identity // see Identity
	Gate    Gate
	Signing Signing

	Ending *handoff.ActReceipt // the receipt that also names what is stored; nil: each has a receipt of its own

	ForAgents bool // agents may read the output: errors are printed without text from others

	program  Program
	answers  *bufio.Reader // reads standard input for Ask
	warned   *sync.Map     // the warnings that were printed; several readers of a store find the same ones
	began    string        // the handoffs directory of a store that this run creates
	progress *progress

	loaded   handoff.Project // what load has found last
	unhelped error           // why help was not printed
}

// readers are commands that change no handoff. They start faster without a locked thread.
var readers = []string{"version", "list", "search", "read", "hook", "status"}

// Writing commands do all system calls in order, on the main thread. When main begins, it may run on another one. A
// locked thread makes the runtime start one more, so readers have none.
func init() {
	if len(os.Args) < 2 || !slices.Contains(readers, os.Args[1]) {
		runtime.LockOSThread()
	}
}

// A Program lists the parts of the program.
type Program struct {
	Commands []Commands // of the linked packages
}

// Main is the main function of a program.
func Main(p Program) {
	debug.SetGCPercent(400)        // most commands end before a collection pays off; see CollectOften
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error, and does not kill the program after a commit
	os.Exit(Run(Env{os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Getwd, os.Executable, nil, 0}, p))
}

// Run executes one command and returns its exit code. It prints errors to stderr, one per line.
func Run(e Env, p Program) (code int) {
	a := newApp(e, p)
	a.Stdout = &pipeWriter{Writer: e.Stdout, terminal: sync.OnceValue(func() *os.File { return Terminal(e.Stdout) })}
	defer func() {
		if bug := recover(); bug != nil { // a panic would exit 2, which means invalid input here
			fmt.Fprintf(e.Stderr, "handoff: internal error: %v\nhint: run `handoff verify`, and report this bug\n", bug)
			code = 1
		}
	}()
	if len(a.Args) == 0 && a.canLook() {
		a.Args = []string{"inbox"}
	}
	root := a.root()
	root.SetArgs(completeAllowEmpty(a.Args))
	var err error
	if word := a.asked(); word != "" && !isCompleting(a.Args) && !slices.Contains(namesOf(root.Commands()), word) {
		err = unknownCommand(root, word) // whatever flags that command would have
	} else {
		err = cmp.Or(root.Execute(), a.unhelped)
	}
	a.report(err)
	return ExitOf(err).Code
}

func newApp(e Env, p Program) *App {
	if e.Options == nil {
		e.Options = func(*handoff.Options) {}
	}
	return &App{Env: e, program: p,
		progress: &progress{w: e.Stderr}, warned: new(sync.Map)}
}

// Root returns all commands, for documentation. Their flags can depend on the arguments.
func Root(p Program, args ...string) *cobra.Command { return newApp(Env{Args: args}, p).root() }

func (a *App) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "handoff",
		Short: "Pass work from one person or agent to the next",
		Args:  cobra.ArbitraryArgs,

		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return a.printVersion()
			}
			return a.Help(cmd, args)
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(Usage)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.unhelped = a.Help(cmd, cmd.Flags().Args()) })
	a.commonFlags(root.PersistentFlags())
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	a.addCommands(root)
	return root
}

// commonFlags declares the flags of all commands. Help does not list those that only scripts need.
func (a *App) commonFlags(flags *pflag.FlagSet) {
	f := &a.Flags
	flags.StringVar(&a.Who.Operator, "operator", "", "act for this `operator` (default: you, see handoff whoami)")
	flags.BoolVar(&a.JSON, "json", false, "print JSON")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "print no warnings or notes")
	flags.StringVar(&f.Root, "root", "", "the project root `directory` (default: the nearest with .handoff.yaml, "+
		"or the git work tree)")
	flags.StringVar(&f.HandoffsDir, "handoffs-dir", "", "the handoffs `directory` (default: handoffs in the project "+
		"root)")
	flags.StringVar(&f.StateDir, "state-dir", "", "the state `directory`")
	flags.StringVar(&f.OperatorsFile, "operators-file", "", "the operators `file`")
	flags.Var(Duration(&f.LockTimeout), "lock-timeout", "wait for the lock for this `duration`")
	for _, name := range []string{"state-dir", "operators-file", "lock-timeout"} {
		flags.Lookup(name).Hidden = true
	}
}

// Project returns the project that the flags, the environment and the working directory name.
func (a *App) Project() (handoff.Project, error) {
	p, err := a.load()
	if err != nil {
		return p, err
	}
	whole := p
	p.Options.Me = func() string { return whole.MeOr(a.Who.Operator) }
	p.Options.Reader = func() handoff.Who {
		return handoff.Who{Operator: cmp.Or(a.Who.Operator, whole.Named().Operator), Session: a.SessionID()}
	}
	p.Options.Rules = handoff.PlainRules
	a.signatures(p, &p.Options)
	p.Options.Warn = a.warn
	a.useRemote(&p, "")
	p.Options.Offline = a.Session.Offline
	if !a.Quiet && IsTerminal(a.Stderr) {
		p.Options.Progress = a.progress.show
	}
	p.Options.Redact, p.Options.AllowSecrets = a.Gate.Redact, a.Gate.AllowSecret
	return p, nil
}

// In returns the app for another working directory.
func (a *App) In(dir string) *App {
	here := *a
	here.Getwd = func() (string, error) { return dir, nil }
	return &here
}

// Noting returns the app for one of several calls, with its notes in a text.
func (a *App) Noting(w io.Writer) *App {
	here := *a
	here.Stderr, here.warned = w, new(sync.Map)
	return &here
}

// load returns the project without the options that Project sets.
func (a *App) load() (p handoff.Project, err error) {
	cwd, err := a.Getwd()
	if err != nil {
		return p, fault.Config("change to an existing directory", "cannot use the current directory: %v", err)
	}
	if p, err = handoff.LoadProject(cwd, a.Getenv, a.Flags); err != nil {
		return p, err
	}
	if p.Apart != "" {
		a.warn("this linked work tree has a store of its own: " + p.Apart)
	}
	a.Options(&p.Options)
	a.loaded = p
	if a.Getenv("LOA_HANDOFF_DISABLE_FINGERPRINT") != "" && p.Options.Fingerprint == nil {
		a.warn("LOA_HANDOFF_DISABLE_FINGERPRINT is ignored: it works only in test binaries")
	}
	return p, nil
}

// canLook reports whether the inbox can be shown: on a terminal and in a project.
func (a *App) canLook() bool {
	if Terminal(a.Stdin) == nil || Terminal(a.Stdout) == nil || a.Getenv("TERM") == "dumb" {
		return false
	}
	cwd, err := a.Getwd()
	if err != nil {
		return false
	}
	p, err := handoff.LoadProject(cwd, a.Getenv, a.Flags)
	return err == nil && p.Exists() == nil
}

// CollectOften saves memory at the cost of time. Commands that read or write a whole store call it.
func CollectOften() { debug.SetGCPercent(100) }

// Now returns the time of the store's clock.
func (a *App) Now() time.Time {
	o := handoff.Options{Now: time.Now}
	a.Options(&o)
	return o.Now()
}

// UTCNow returns the time of the store's clock in the form of ts_utc.
func (a *App) UTCNow() string { return a.Now().UTC().Format(time.RFC3339) }
