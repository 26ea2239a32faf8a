package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// An env is what a run gets from the world.
type env struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	getwd          func() (string, error)
}

// An app is one run of the program: its world and the flags that every command has.
type app struct {
	env
	flags handoff.ProjectFlags
	json  bool
	quiet bool
	gate  gate

	progress *progress
}

// commands lists every command by name. Each is built only when it is asked for.
var commands = []struct {
	name  string
	build func(*app) *cobra.Command
}{
	{"write", writeCommand},
	{"new", newCommand},
	{"compute-id", computeIDCommand},
	{"list", listCommand},
	{"search", searchCommand},
	{"read", readCommand},
	{"mark-read", markReadCommand},
	{"show", showCommand},
	{"check", checkCommand},
	{"resume", resumeCommand},
	{"create", createCommand},
	{"validate", validateCommand},
	{"repair", repairCommand},
	{"onboard", onboardCommand},
	{"surface", surfaceCommand},
	{"receipts", receiptsCommand},
	{"draft", draftCommand},
	{"hook", hookCommand},
	{"mcp", mcpCommand},
	{"install", installCommand},
	{"uninstall", uninstallCommand},
	{"verify", verifyCommand},
	{"doctor", doctorCommand},
	{"audit", auditCommand},
	{"operators", operatorsCommand},
	{"machine-fingerprint", fingerprintCommand},
	{"init", initCommand},
	{"version", versionCommand},
}

// run executes one command and returns its exit code. Errors become one sentence a line on stderr.
func run(e env) (code int) {
	a := &app{env: e, progress: &progress{w: e.stderr}}
	a.stdout = &outlet{Writer: e.stdout}
	defer func() {
		if bug := recover(); bug != nil { // a panic would exit 2, which means invalid input here
			fmt.Fprintf(e.stderr, "handoff: internal error: %v\nhint: nothing is lost; run `handoff verify`, and report this\n", bug)
			code = 1
		}
	}()
	root := a.root()
	root.SetArgs(e.args)
	err := root.Execute()
	a.report(err)
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "handoff",
		Short:         "Hand work over: stored whole, never lost, never silently changed",
		Long:          rootHelp(),
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkTimeout(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(usage)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.HandoffsDir, "handoffs-dir", "", "the handoffs `directory` (default handoffs in the project root)")
	f.StringVar(&a.flags.StateDir, "state-dir", "", "the state `directory` (default .run in the project root)")
	f.StringVar(&a.flags.Root, "root", "", "the project root `directory` (default the nearest with .handoff.yaml, or the git work tree)")
	f.StringVar(&a.flags.OperatorsFile, "operators-file", "", "the operators `file` (default OPERATORS.md in the project root)")
	f.DurationVar(&a.flags.LockTimeout, "lock-timeout", 0, "how long to wait for the lock, a `duration` (default 30s)")
	f.BoolVar(&a.json, "json", false, "print machine-readable JSON")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print no warnings and notes")
	for _, c := range commands {
		if len(a.args) == 0 || a.args[0] == c.name || !isCommand(a.args[0]) {
			built := c.build(a)
			a.completeFlags(built)
			root.AddCommand(built)
		}
	}
	return root
}

// exclusive makes it invalid input to give both flags of a command.
func exclusive(cmd *cobra.Command, one, other string) {
	cmd.MarkFlagsMutuallyExclusive(one, other) // for completion; cobra would report it as no kind of error
	others := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
			return invalid("leave one of them out", "--%s and --%s do not go together", one, other)
		}
		if others == nil {
			return nil
		}
		return others(cmd, args)
	}
}

// checkTimeout makes a lock timeout of 0 one that only tries: in the flags 0 means that none is given.
func (a *app) checkTimeout(cmd *cobra.Command) error {
	switch timeout := &a.flags.LockTimeout; {
	case *timeout < 0:
		return usage(cmd, fmt.Errorf("--lock-timeout must not be negative: %v", *timeout))
	case *timeout == 0 && cmd.Flags().Changed("lock-timeout"):
		*timeout = 1
	}
	return nil
}

func isCommand(name string) bool {
	for _, c := range commands {
		if c.name == name {
			return true
		}
	}
	return false
}

func rootHelp() string {
	var b strings.Builder
	b.WriteString("handoff stores markdown documents that hand work over, gives each an id that is the\nSHA-256 of its content, lists them in INDEX.md, and shows them to whoever they are for.\n\nExit codes:\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %2d  %s\n", e.code, e.meaning)
	}
	return b.String()
}

func (a *app) project() (handoff.Project, error) {
	cwd, err := a.getwd()
	if err != nil {
		return handoff.Project{}, &handoff.Error{Class: handoff.ErrConfig, Problem: "the current directory cannot be used: " + err.Error(), Cause: err}
	}
	p, err := handoff.LoadProject(cwd, a.getenv, a.flags)
	if err != nil {
		return p, err
	}
	p.Options.Rules = schema.Frontmatter()
	p.Options.CheckBody = record.CheckBody
	p.Options.Warn = a.note
	if !a.quiet && isTerminal(a.stderr) {
		p.Options.Progress = a.progress.show
	}
	p.Options.Redact, p.Options.AllowSecrets = a.gate.redact, a.gate.allow
	testOptions(a.getenv, &p.Options)
	if a.getenv("LOA_HANDOFF_DISABLE_FINGERPRINT") != "" && p.Options.Fingerprint == nil {
		a.note("LOA_HANDOFF_DISABLE_FINGERPRINT is ignored: it is honoured in test binaries only")
	}
	return p, nil
}

// testOptions is replaced in the test binary, so that scripts can be another machine or another time.
var testOptions = func(func(string) string, *handoff.Options) {}

// projectStore opens the store of the project, for a command that needs the project's settings as well.
func (a *app) projectStore() (handoff.Project, *handoff.Store, error) {
	p, err := a.project()
	if err != nil {
		return p, nil, err
	}
	s, err := handoff.Open(p.Options)
	return p, s, err
}

// store opens the store of the project.
func (a *app) store() (*handoff.Store, error) {
	_, s, err := a.projectStore()
	return s, err
}

// collectOften is for commands that go through a whole store: of a large one, memory counts for more than time.
func collectOften() { debug.SetGCPercent(100) }

func utcNow() string { return time.Now().UTC().Format(time.RFC3339) }
