package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// installFlags are the flags of install and uninstall.
type installFlags struct {
	User    bool
	Project bool
	DryRun  bool
	Check   bool
}

func (f *installFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.User, "user", false, "for all your sessions (the default)")
	flags.BoolVar(&f.Project, "project", false, "for sessions in this project")
	flags.BoolVar(&f.DryRun, "dry-run", false, "show the change as a unified diff, and change nothing")
	flags.BoolVar(&f.Check, "check", false, "change nothing; exit with 7 if the settings would change")
	cli.Conflicts(cmd, "user", "project")
	cli.Conflicts(cmd, "dry-run", "check")
}

func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return agent.Installable(), cobra.ShellCompDirectiveNoFileComp
}

// An install is one run of install or uninstall.
type install struct {
	installFlags
	agent  agent.Agent
	places agent.Places
	scope  agent.Scope
	mcp    bool
}

type addFlags struct {
	installFlags
	MCP bool
	To  string
}

func installCommand(a *cli.App) *cobra.Command {
	f := &addFlags{}
	cmd := &cobra.Command{
		Use:   "install AGENT [--user | --project] [--mcp]",
		Short: "Add the hooks to a coding agent",
		Long: `Add the hooks to the settings of an agent
(claude, codex, gemini, qwen, cursor, copilot, opencode).
A session is then told what is unread when it starts, and what arrives at its
next prompt or after a tool.

--mcp also adds the server for the Model Context Protocol; for codex it prints
the command that adds it. Its operator is --to, else that of the hooks, else
HANDOFF_OPERATOR: some agents pass no environment to servers.

Only these entries are added; every other byte of the settings stays. Settings
that cannot be edited safely (comments in JSON, a duplicate key, a byte-order
mark) are refused with their place, and nothing is changed.

You can repeat the command: it updates the entries if needed. A backup of the
settings is kept next to them, and ` + "`handoff uninstall`" + ` restores it.`,
		Example: `  handoff install claude --to ben
  handoff install codex --project --dry-run`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeAgents,
		RunE:              func(_ *cobra.Command, args []string) error { return installAgent(a, f, args) },
	}
	flags := cmd.Flags()
	f.installFlags.declare(cmd)
	flags.BoolVar(&f.MCP, "mcp", false, "also add the server for the Model Context Protocol")
	flags.StringVar(&f.To, "to", "", "the `operator` that the sessions work for (default: from settings "+
		"and OPERATORS.md)")
	return cmd
}

func installAgent(a *cli.App, f *addFlags, args []string) error {
	in := install{installFlags: f.installFlags, mcp: f.MCP}
	if err := in.find(a, args[0]); err != nil {
		return err
	}
	program, err := registered(a)
	if err != nil {
		return err
	}
	if s := a.Quietly(); s != nil {
		a.NoteSlips(s, f.To)
	}
	c := agent.Command{Program: program, To: f.To, Me: a.Getenv("HANDOFF_OPERATOR")}
	for _, c.Server = range in.files() {
		change, err := in.agent.Install(in.places, in.scope, c)
		if err == nil {
			c.To = cmp.Or(c.To, agent.Operator(change.Words))
			err = in.finish(a, change, c.Server)
		}
		if err != nil {
			return err
		}
	}
	if line := in.agent.ServerCommand(c); line != "" && in.mcp {
		a.Note("to add the server, run: " + line)
	}
	return nil
}

func uninstallCommand(a *cli.App) *cobra.Command {
	f := &installFlags{}
	cmd := &cobra.Command{
		Use:   "uninstall AGENT [--user | --project]",
		Short: "Remove the hooks",
		Long: `Remove the entries that ` + "`handoff install`" + ` added to the settings of an agent. If
you have not changed the settings since, they are restored, or removed if there
were none. Your other changes stay.`,
		Example:           `  handoff uninstall claude`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeAgents,
		RunE:              func(_ *cobra.Command, args []string) error { return uninstallAgent(a, f, args) },
	}
	f.declare(cmd)
	return cmd
}

func uninstallAgent(a *cli.App, f *installFlags, args []string) error {
	in := install{installFlags: *f, mcp: true}
	if err := in.find(a, args[0]); err != nil {
		return err
	}
	for _, isServer := range slices.Backward(in.files()) { // the directory of both goes with the hooks
		change, err := in.agent.Uninstall(in.places, in.scope, isServer)
		if err == nil && !(isServer && change.Status == agent.Absent) {
			err = in.finish(a, change, isServer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// files returns the files to change: whether each has the server. An agent can have all in one file.
func (in *install) files() []bool {
	switch {
	case !in.mcp:
		return []bool{false}
	case in.agent.OneFile():
		return []bool{true}
	}
	return []bool{false, true}
}

// find sets the agent and the places.
func (in *install) find(a *cli.App, name string) error {
	var err error
	if in.agent, err = agent.Find(name); err != nil {
		return err
	}
	if in.Project {
		in.scope = agent.Project
	}
	in.places, err = places(a, in.Project)
	return err
}

// places returns the directories of settings. A missing project is an error only if needProject is set.
func places(a *cli.App, needProject bool) (agent.Places, error) {
	p := agent.Places{Home: a.Getenv("HOME"), Getenv: a.Getenv}
	if runtime.GOOS == "windows" {
		p.Home = a.Getenv("USERPROFILE")
	}
	project, err := a.Project()
	if err != nil && needProject {
		return p, err
	}
	p.Root = project.Root
	return p, nil
}

// registered returns the path of this program, whose hook agents run.
func registered(a *cli.App) (string, error) {
	program, err := program(a)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(strings.Split(program, string(filepath.Separator)),
		func(dir string) bool { return strings.HasPrefix(dir, "go-build") }) {
		return "", fault.Config("run `go install ./cmd/handoff`, then the installed handoff",
			"%s was built by `go run`, which removes it", program)
	}
	return program, nil
}

// program returns the path of this program, not that of a link to it.
func program(a *cli.App) (string, error) {
	path, err := a.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the path of this program: %w", err)
	}
	return path, nil
}

// finish shows, checks or makes the change.
func (in *install) finish(a *cli.App, change agent.Change, isServer bool) error {
	if in.DryRun {
		if a.JSON {
			return in.print(a, change, isServer)
		}
		diff := udiff.Unified(change.Texts())
		if cli.IsTerminal(a.Stdout) {
			diff = handoff.Escape(diff)
		}
		_, err := fmt.Fprint(a.Stdout, diff)
		return err
	}
	if in.Check {
		if !change.Changes() || a.JSON {
			if err := in.print(a, change, isServer); err != nil || !change.Changes() {
				return err
			}
		}
		return fault.Config("", "%s %s", map[string]string{
			agent.Installed: "not installed in", agent.Updated: "out of date in", agent.Removed: "still installed in",
		}[change.Status], change.Path)
	}
	if err := change.Apply(); err != nil {
		return err
	}
	a.Committed()
	return in.print(a, change, isServer)
}

// print prints the change, and what the user must approve in the agent.
func (in *install) print(a *cli.App, change agent.Change, isServer bool) error {
	out := struct {
		Agent   string   `json:"agent"`
		Path    string   `json:"file_path"`
		Status  string   `json:"status"`
		Command []string `json:"command,omitempty"`
		Diff    string   `json:"diff,omitempty"`
		Backup  string   `json:"backup,omitempty"`
		Approve string   `json:"approve,omitempty"`
	}{Agent: in.agent.Name, Path: change.Path, Status: change.Status, Command: change.Words, Backup: change.Backup}
	if change.Changes() && (in.DryRun || in.Check) {
		out.Status = "would be " + out.Status
	}
	if in.DryRun {
		out.Diff = udiff.Unified(change.Texts())
	}
	if change.Status != agent.Removed && change.Status != agent.Absent && (!isServer || in.agent.OneFile()) {
		out.Approve = in.agent.Approve
		if in.scope == agent.Project {
			out.Approve = in.agent.ApproveProject
		}
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	a.Note(map[string]string{
		agent.Installed: "installed in ", agent.Updated: "updated in ", agent.Present: "already installed in ",
		agent.Removed: "removed from ", agent.Absent: "not installed in ",
	}[change.Status] + change.Path)
	if out.Backup != "" {
		a.Note("you changed the settings after installing; the older ones are kept in " + out.Backup +
			": remove it when you do not need it")
	}
	if out.Approve != "" {
		a.Note("in " + in.agent.Title + ": " + out.Approve)
	}
	return nil
}
