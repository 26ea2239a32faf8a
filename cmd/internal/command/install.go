package command

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type installFlags struct {
	Project, MCP, DryRun, Check, Undo bool
}

// An install is one run of the command.
type install struct {
	*cli.App
	*installFlags
	agent  agent.Agent
	places agent.Places
}

func installCommand(a *cli.App) *cobra.Command {
	f := &installFlags{}
	cmd := &cobra.Command{
		Use:   "install AGENT [--project] [--mcp]",
		Short: "Tell the sessions of a coding agent what is unread",
		Long: `Add the hooks of handoff to the settings of an agent
(claude, codex, gemini, qwen, cursor, copilot, opencode). A session is then told
what is unread when it starts, and what arrives while it runs.

Only these entries change; every other byte stays. Settings that the agent could
read in another way are refused with their place. You can repeat the command: it
updates the entries if needed. A backup of the settings is kept next to them
until --undo.`,
		Example: `  handoff install claude --operator ben
  handoff install codex --project --dry-run
  handoff install claude --undo`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return agent.Installable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return runInstall(a, f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Project, "project", false, "for sessions in this project, not for all of yours")
	flags.BoolVar(&f.MCP, "mcp", false, "also add the server for the Model Context Protocol, or print the command "+
		"of the agent that adds it")
	flags.BoolVar(&f.DryRun, "dry-run", false, "show the change as a unified diff, and change nothing")
	flags.BoolVar(&f.Check, "check", false, "run the installed hook once with a test handoff; exit with 7 if the "+
		"session would not hear of it")
	flags.BoolVar(&f.Undo, "undo", false, "remove the entries, and restore the settings byte for byte")
	cli.Conflicts(cmd, "check", "undo", "dry-run")
	return cmd
}

func runInstall(a *cli.App, f *installFlags, name string) error {
	in := install{App: a, installFlags: f}
	var err error
	if in.agent, err = agent.Find(name); err != nil {
		return err
	}
	in.places = agent.Places{Home: a.Getenv("HOME"), IsProject: f.Project, Getenv: a.Getenv}
	if runtime.GOOS == "windows" {
		in.places.Home = a.Getenv("USERPROFILE")
	}
	project, err := a.Project()
	if err != nil && f.Project {
		return err
	}
	if in.places.Root = project.Root; f.Check {
		return in.check()
	}
	c, changes := agent.Command{Operator: a.Who.Operator, MCP: f.MCP}, []agent.Change(nil)
	if f.Undo {
		changes, err = in.agent.Undo(in.places)
	} else if c.Program, err = a.Executable(); err == nil {
		if s := a.Quietly(); s != nil {
			a.NoteSlips(s, c.Operator)
		}
		changes, err = in.agent.Install(in.places, c)
	}
	if err != nil {
		return err
	}
	for _, change := range slices.Backward(changes) { // the hooks last, which tell what is installed
		if err := in.finish(change); err != nil {
			return err
		}
	}
	if line := in.agent.ServerCommand(c, f.Project); line != "" && f.MCP && !f.Undo {
		a.Note("to add the server, run: " + line)
	}
	return nil
}

// finish shows or makes a change, and prints it.
func (in *install) finish(change agent.Change) error {
	out := struct {
		Agent  string `json:"agent"`
		Path   string `json:"file_path"`
		Status string `json:"status"`
		Diff   string `json:"diff,omitempty"`
	}{Agent: in.agent.Name, Path: change.Path, Status: change.Status}
	switch {
	case !in.DryRun:
		if err := change.Apply(); err != nil {
			return err
		}
		in.Committed()
		in.Note(map[string]string{
			agent.Installed: "installed in ", agent.Updated: "updated in ", agent.Present: "already installed in ",
			agent.Removed: "removed from ", agent.Absent: "not installed in ",
		}[change.Status] + change.Path)
	case change.Changes():
		out.Diff = udiff.Unified(change.Path, change.Path, string(change.Before), string(change.After))
		out.Status = "would be " + out.Status
	}
	if !in.Undo && change.Words != nil {
		in.noteApproval()
	}
	text := out.Diff
	if cli.IsTerminal(in.Stdout) {
		text = handoff.Escape(text)
	}
	return in.Show(out, text)
}

// noteApproval notes what a person must do before the hooks run.
func (in *install) noteApproval() {
	approve := in.agent.Approve
	if in.installFlags.Project {
		approve = in.agent.ApproveProject
	}
	if approve != "" {
		in.Note("in " + in.agent.Title + ": " + approve)
	}
}

const checkWait = 10 * time.Second

// check runs the installed hook for the start of a session as the agent does, in a scratch project with one handoff.
func (in *install) check() error {
	words, path, err := in.agent.Registered(in.places)
	if err != nil {
		return err
	}
	again := "run `handoff install " + in.agent.Name + "`"
	if words == nil {
		return fault.Config(again, "not installed in %s", path)
	}
	dir, err := os.MkdirTemp("", "handoff-check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		return err
	}
	var receipt, out, complaint bytes.Buffer
	scratch := *in.App
	scratch.Stdout = &receipt
	for _, line := range []string{"init --yes --quiet", "write -m Canary --to next --quiet"} {
		if err := scratch.InScratch(dir, "handoff", strings.Fields(line)); err != nil {
			return err
		}
	}
	_, canary, _ := strings.Cut(receipt.String(), "sha256:")
	canary = canary[:12]
	ctx, stop := context.WithTimeout(context.Background(), checkWait)
	defer stop()
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.Stdin, run.Stdout, run.Stderr = bytes.NewReader(in.agent.TestInput(project)), &out, &complaint
	run.Env = append(os.Environ(), "HANDOFF_OPERATOR=canary", "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	run.Dir = in.agent.WorkDir(in.places, project)
	if err = run.Run(); err != nil {
		complaint.WriteString(err.Error())
	}
	if err != nil || !strings.Contains(out.String(), canary) {
		return fault.Config(again, "the hook in %s did not tell of the test handoff; it printed %q and %q", path,
			out.String(), complaint.String())
	}
	in.Note("the hook in " + path + " told of the test handoff " + canary)
	in.noteApproval()
	return nil
}
