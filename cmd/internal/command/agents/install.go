package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
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
}

func installCommand(a *app) *cobra.Command {
	var in install
	cmd := &cobra.Command{
		Use:   "install AGENT [--user | --project]",
		Short: "Register the session hook with a coding agent",
		Long: `Register ` + "`handoff hook`" + ` in the settings of an agent (` + strings.Join(agent.Installable(), ", ") + `),
so that every session is told what it has not read. Every byte outside the one entry stays as it is; what
is not understood (comments, a key twice, a byte-order mark) is refused with its place and nothing is
changed. Installing again changes nothing, or brings the entry up to date. The settings as they were are
kept beside them, and ` + "`handoff uninstall`" + ` brings them back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.find(a, args[0]); err != nil {
				return err
			}
			program, err := a.registered()
			if err != nil {
				return err
			}
			change, err := in.agent.Install(in.places, in.scope, agent.Command{Program: program, To: in.to})
			if err != nil {
				return err
			}
			return in.finish(a, change)
		},
	}
	cmd.Flags().StringVar(&in.to, "to", "", "who the sessions work for (`operator`); else settings and OPERATORS.md say it")
	in.declare(cmd)
	return cmd
}

func uninstallCommand(a *app) *cobra.Command {
	var in install
	cmd := &cobra.Command{
		Use:   "uninstall AGENT [--user | --project]",
		Short: "Remove the session hook from the settings of a coding agent",
		Long: `Take the entry out that ` + "`handoff install`" + ` added. The settings are then what they were before, and gone if
there were none. What was changed beside the entry meanwhile stays.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.find(a, args[0]); err != nil {
				return err
			}
			change, err := in.agent.Uninstall(in.places, in.scope)
			if err != nil {
				return err
			}
			return in.finish(a, change)
		},
	}
	in.declare(cmd)
	return cmd
}

// declare gives a command its argument and the flags that both have.
func (in *install) declare(cmd *cobra.Command) {
	cmd.Args = cli.Args(cobra.ExactArgs(1))
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agent.Installable(), cobra.ShellCompDirectiveNoFileComp
	}
	f := cmd.Flags()
	f.BoolVar(&in.user, "user", false, "for every session of yours (the default)")
	f.BoolVar(&in.project, "project", false, "for sessions in this project")
	f.BoolVar(&in.dryRun, "dry-run", false, "print what would change as a unified diff, and change nothing")
	f.BoolVar(&in.check, "check", false, "change nothing; exit with 7 if there is something to do")
	cli.Exclusive(cmd, "user", "project")
	cli.Exclusive(cmd, "dry-run", "check")
}

// find fills in the agent and the places.
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

// places returns where settings lie. A project that cannot be found counts only if it is needed.
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

// registered returns the path of handoff, which lies beside this program: its hook is what agents run.
func (a *app) registered() (string, error) {
	program, err := a.Beside("handoff")
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return "", &handoff.Error{Class: handoff.ErrConfig, Problem: "the program to register cannot be used: " + err.Error(), Advice: cli.InstallBoth, Cause: err}
	}
	if slices.ContainsFunc(strings.Split(program, string(filepath.Separator)), func(dir string) bool { return strings.HasPrefix(dir, "go-build") }) {
		return "", &handoff.Error{Class: handoff.ErrConfig, Problem: program + " is a program that `go run` built, and soon gone",
			Advice: "run `go install ./cmd/...` and then the installed handoff"}
	}
	return program, nil
}

// finish shows, checks or makes the change.
func (in *install) finish(a *app, change agent.Change) error {
	if in.dryRun {
		if a.JSON {
			return in.print(a, change)
		}
		diff := unified(change)
		if cli.IsTerminal(a.Stdout) {
			diff = handoff.Escape(diff)
		}
		_, err := fmt.Fprint(a.Stdout, diff)
		return err
	}
	if in.check {
		if !change.Changes() || a.JSON {
			if err := in.print(a, change); err != nil || !change.Changes() {
				return err
			}
		}
		return &handoff.Error{Class: handoff.ErrConfig, Problem: map[string]string{
			agent.Installed: "not installed in ", agent.Updated: "out of date in ", agent.Removed: "still installed in ",
		}[change.Status] + change.Path}
	}
	done, err := change.Apply()
	if err != nil {
		return err
	}
	a.Committed()
	return in.print(a, done)
}

// unified is a change as a unified diff, "" if there is nothing to do.
func unified(change agent.Change) string { return udiff.Unified(change.Texts()) }

// print says what was done, or would be, and what a person has to know.
func (in *install) print(a *app, change agent.Change) error {
	out := struct {
		Agent    string   `json:"agent"`
		Path     string   `json:"file_path"`
		Status   string   `json:"status"`
		Command  []string `json:"command,omitempty"`
		Diff     string   `json:"diff,omitempty"`
		Backup   string   `json:"backup,omitempty"`
		Approve  string   `json:"approve,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{Agent: in.agent.Name, Path: change.Path, Status: change.Status, Command: change.Words, Backup: change.Backup}
	if change.Changes() && (in.dryRun || in.check) {
		out.Status = "would be " + out.Status
	}
	if in.dryRun {
		out.Diff = unified(change)
	}
	if change.Status != agent.Removed && change.Status != agent.Absent {
		out.Warnings = in.agent.Others(in.places, agent.Entry{Path: change.Path, Words: change.Words})
		if change.Note != "" {
			out.Warnings = append(out.Warnings, change.Note)
		}
		out.Approve = in.agent.Approve
		if in.scope == agent.Project {
			out.Approve = in.agent.ApproveProject
		}
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	a.Note(map[string]string{
		agent.Installed: "installed in ", agent.Updated: "brought up to date in ", agent.Present: "already installed in ",
		agent.Removed: "taken out of ", agent.Absent: "not installed in ",
	}[change.Status] + change.Path)
	if out.Backup != "" {
		a.Note("the settings as they were before the hook was added stay in " + out.Backup + ", since they were changed meanwhile: remove it when you do not need it")
	}
	for _, w := range out.Warnings {
		a.Note("warning: " + w)
	}
	if out.Approve != "" {
		a.Note("in " + in.agent.Title + ": " + out.Approve)
	}
	return nil
}
