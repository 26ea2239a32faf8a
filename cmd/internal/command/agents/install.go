package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An install is one run of install or uninstall.
type install struct {
	agent         agent.Agent
	places        agent.Places
	scope         agent.Scope
	user, project bool
	dryRun, check bool
	to            string
	mcp           bool
}

func installCommand(a *app) *cobra.Command {
	var in install
	cmd := &cobra.Command{
		Use: "install AGENT [--user | --project] [--mcp]",
		Long: `Add the hooks to the settings of an agent
(` + strings.Join(agent.Installable(), ", ") + `).
A session is then told what is unread when it starts, and what arrives at its
next prompt or after a tool. The command prints which of these the agent
supports. If a session ends without a handoff, a draft of it is kept.

--mcp also adds the server for the Model Context Protocol. Its operator is --to,
else that of the hooks, else HANDOFF_OPERATOR: some agents pass no environment
to servers.

Only these entries are added; every other byte of the settings stays. Settings
that cannot be edited safely (comments in JSON, a duplicate key, a byte-order
mark) are refused with their place, and nothing is changed.

You can repeat the command: it updates the entries if needed. A backup of the
settings is kept next to them, and ` + "`" + `handoff uninstall` + "`" + ` restores it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.find(a, args[0]); err != nil {
				return err
			}
			program, err := a.registered()
			if err != nil {
				return err
			}
			c := agent.Command{Program: program, To: in.to, Me: a.Getenv("HANDOFF_OPERATOR")}
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
			return nil
		},
	}
	cmd.Flags().BoolVar(&in.mcp, "mcp", false, "also add the server for the Model Context Protocol")
	cmd.Flags().StringVar(&in.to, "to", "",
		"the `operator` that the sessions work for (default: from settings and OPERATORS.md)")
	in.declare(cmd)
	return cmd
}

func uninstallCommand(a *app) *cobra.Command {
	var in install
	cmd := &cobra.Command{
		Use: "uninstall AGENT [--user | --project]",
		Long: `Remove the entries that ` + "`" + `handoff install` + "`" + ` added to the settings of an agent. If
you have not changed the settings since, they are restored, or removed if there
were none. Your other changes stay.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.find(a, args[0]); err != nil {
				return err
			}
			in.mcp = true
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
		},
	}
	in.declare(cmd)
	return cmd
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

// declare adds the argument and the flags of both commands.
func (in *install) declare(cmd *cobra.Command) {
	cmd.Args = cli.Args(cobra.ExactArgs(1))
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agent.Installable(), cobra.ShellCompDirectiveNoFileComp
	}
	f := cmd.Flags()
	f.BoolVar(&in.user, "user", false, "for all your sessions (the default)")
	f.BoolVar(&in.project, "project", false, "for sessions in this project")
	f.BoolVar(&in.dryRun, "dry-run", false, "show the change as a unified diff, and change nothing")
	f.BoolVar(&in.check, "check", false, "change nothing; exit with 7 if the settings would change")
	cli.Exclusive(cmd, "user", "project")
	cli.Exclusive(cmd, "dry-run", "check")
}

// find sets the agent and the places.
func (in *install) find(a *app, name string) error {
	var err error
	if in.agent, err = agent.Find(name); err != nil {
		return err
	}
	if in.project {
		in.scope = agent.Project
	}
	in.places, err = a.places(in.project)
	return err
}

// places returns the directories of settings. A missing project is an error only if needProject is set.
func (a *app) places(needProject bool) (agent.Places, error) {
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

// registered returns the path of the fast program, next to this one. Agents run its hook.
func (a *app) registered() (string, error) {
	program, err := a.Sibling("handoff")
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return "", fault.New(fault.ErrConfig, cli.InstallBoth, "cannot use the program for the hook: %v", err)
	}
	if slices.ContainsFunc(strings.Split(program, string(filepath.Separator)),
		func(dir string) bool { return strings.HasPrefix(dir, "go-build") }) {
		return "", fault.New(fault.ErrConfig, "run `go install ./cmd/...`, then the installed handoff",
			"%s was built by `go run`, which removes it", program)
	}
	return program, nil
}

// finish shows, checks or makes the change.
func (in *install) finish(a *app, change agent.Change, isServer bool) error {
	if in.dryRun {
		if a.JSON {
			return in.print(a, change, isServer)
		}
		diff := a.Full.Diff(change.Texts())
		if cli.IsTerminal(a.Stdout) {
			diff = handoff.Escape(diff)
		}
		_, err := fmt.Fprint(a.Stdout, diff)
		return err
	}
	if in.check {
		if !change.Changes() || a.JSON {
			if err := in.print(a, change, isServer); err != nil || !change.Changes() {
				return err
			}
		}
		return fault.New(fault.ErrConfig, "", "%s %s", map[string]string{
			agent.Installed: "not installed in", agent.Updated: "out of date in", agent.Removed: "still installed in",
		}[change.Status], change.Path)
	}
	done, err := change.Apply()
	if err != nil {
		return err
	}
	a.Committed()
	return in.print(a, done, isServer)
}

// print prints the change, the warnings, and what the user must approve in the agent.
func (in *install) print(a *app, change agent.Change, isServer bool) error {
	out := struct {
		Agent    string   `json:"agent"`
		Path     string   `json:"file_path"`
		Status   string   `json:"status"`
		Command  []string `json:"command,omitempty"`
		Diff     string   `json:"diff,omitempty"`
		Backup   string   `json:"backup,omitempty"`
		Hears    []string `json:"hears,omitempty"`
		Misses   []string `json:"misses,omitempty"`
		Approve  string   `json:"approve,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{Agent: in.agent.Name, Path: change.Path, Status: change.Status, Command: change.Words, Backup: change.Backup}
	if change.Changes() && (in.dryRun || in.check) {
		out.Status = "would be " + out.Status
	}
	if in.dryRun {
		out.Diff = a.Full.Diff(change.Texts())
	}
	if change.Status != agent.Removed && change.Status != agent.Absent && (!isServer || in.agent.OneFile()) {
		out.Warnings = in.agent.Others(in.places, agent.Entry{Path: change.Path, Words: change.Words})
		if change.Note != "" {
			out.Warnings = append(out.Warnings, change.Note)
		}
		if shell := a.shellProblem(); shell != "" {
			out.Warnings = append(out.Warnings, shell)
		}
		out.Hears, out.Misses = in.agent.Hears()
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
	if len(out.Hears) > 0 {
		note := "a session hears of handoffs " + strings.Join(out.Hears, ", ")
		if len(out.Misses) > 0 {
			note += "; not " + strings.Join(out.Misses, ", ")
		}
		a.Note(note)
		a.Note("a session that ends without a handoff leaves a draft: `handoff draft show`")
	}
	for _, w := range out.Warnings {
		a.Note("warning: " + w)
	}
	if out.Approve != "" {
		a.Note("in " + in.agent.Title + ": " + out.Approve)
	}
	return nil
}
