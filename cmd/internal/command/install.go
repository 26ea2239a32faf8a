package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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
	if in.places, err = places(a, f.Project); err != nil {
		return err
	}
	if f.Check {
		return in.check()
	}
	var changes []agent.Change
	c := agent.Command{Operator: a.Who.Operator, MCP: f.MCP}
	if f.Undo {
		changes, err = in.agent.Undo(in.places)
	} else if c.Program, err = registered(a); err == nil {
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

// places returns where settings are. A missing project is an error only if they are those of a project.
func places(a *cli.App, isProject bool) (agent.Places, error) {
	p := agent.Places{Home: a.Getenv("HOME"), IsProject: isProject, Getenv: a.Getenv}
	if runtime.GOOS == "windows" {
		p.Home = a.Getenv("USERPROFILE")
	}
	project, err := a.Project()
	if err != nil && isProject {
		return p, err
	}
	p.Root = project.Root
	return p, nil
}

// registered returns the path of this program, whose hook agents run.
func registered(a *cli.App) (string, error) {
	path, err := a.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if slices.ContainsFunc(strings.Split(path, string(filepath.Separator)),
		func(dir string) bool { return strings.HasPrefix(dir, "go-build") }) {
		return "", fault.Config("run `go install ./cmd/handoff`, then the installed handoff",
			"%s was built by `go run`, which removes it", path)
	}
	return path, nil
}

// finish shows or makes a change.
func (in *install) finish(change agent.Change) error {
	diff := ""
	if in.DryRun && change.Changes() {
		diff = udiff.Unified(change.Path, change.Path, string(change.Before), string(change.After))
	}
	if in.DryRun && !in.JSON {
		if cli.IsTerminal(in.Stdout) {
			diff = handoff.Escape(diff)
		}
		if err := in.App.Print(diff); err != nil {
			return err
		}
	} else if !in.DryRun {
		if err := change.Apply(); err != nil {
			return err
		}
		in.Committed()
	}
	return in.print(change, diff)
}

// print prints a change, and what a person must approve in the agent.
func (in *install) print(change agent.Change, diff string) error {
	out := struct {
		Agent   string   `json:"agent"`
		Path    string   `json:"file_path"`
		Status  string   `json:"status"`
		Command []string `json:"command,omitempty"`
		Diff    string   `json:"diff,omitempty"`
		Approve string   `json:"approve,omitempty"`
	}{Agent: in.agent.Name, Path: change.Path, Status: change.Status, Command: change.Words, Diff: diff}
	if !in.Undo && change.Words != nil {
		out.Approve = in.approve()
	}
	if change.Changes() && in.DryRun {
		out.Status = "would be " + out.Status
	}
	if in.JSON {
		return in.PrintJSON(out)
	}
	if !in.DryRun {
		in.Note(map[string]string{
			agent.Installed: "installed in ", agent.Updated: "updated in ", agent.Present: "already installed in ",
			agent.Removed: "removed from ", agent.Absent: "not installed in ",
		}[change.Status] + change.Path)
	}
	if out.Approve != "" {
		in.Note("in " + in.agent.Title + ": " + out.Approve)
	}
	return nil
}

// approve returns what a person must do before the hooks run, or "".
func (in *install) approve() string {
	if in.installFlags.Project {
		return in.agent.ApproveProject
	}
	return in.agent.Approve
}

const checkWait = 10 * time.Second

// check runs the installed hook for the start of a session as the agent does, in a scratch project with one handoff.
func (in *install) check() error {
	words, path, err := in.agent.Registered(in.places)
	if err != nil {
		return err
	}
	if words == nil {
		return fault.Config("run `handoff install "+in.agent.Name+"`", "not installed in %s",
			cmp.Or(path, in.agent.Title))
	}
	dir, err := os.MkdirTemp("", "handoff-check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	canary, operator, err := in.canary(dir, words)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), checkWait)
	defer stop()
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	var out, complaint bytes.Buffer
	run.Stdin, run.Stdout, run.Stderr = bytes.NewReader(in.agent.TestInput(dir)), &out, &complaint
	run.Env = append(os.Environ(), "HANDOFF_OPERATOR="+operator, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	run.Dir = in.agent.WorkDir(in.places, dir)
	if err := run.Run(); err != nil || !strings.Contains(out.String(), canary) {
		why := strings.TrimSpace(complaint.String())
		if err != nil && why == "" {
			why = err.Error()
		}
		return fault.Config("run `handoff install "+in.agent.Name+"` again",
			"the hook in %s did not tell of the test handoff; it printed %q, %s", path, out.String(), fault.Own(why))
	}
	in.Note("the hook in " + path + " told of the test handoff " + canary)
	if approve := in.approve(); approve != "" {
		in.Note("in " + in.agent.Title + ": " + approve)
	}
	return nil
}

// canary makes a project with one handoff to the operator of a command, and returns the 12 digits of its id.
func (in *install) canary(dir string, words []string) (id, operator string, err error) {
	operator = "canary"
	if at := slices.Index(words, "--operator"); at >= 0 && at+1 < len(words) {
		operator = words[at+1]
	}
	o := handoff.Options{Dir: filepath.Join(dir, "handoffs"), StateDir: filepath.Join(dir, ".run"), Root: dir,
		UserState: filepath.Join(dir, "state", "handoff")}
	in.Options(&o)
	o.Rules = handoff.PlainRules
	s, err := handoff.Open(o)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, handoff.SettingsName), nil, 0o600))
	if err != nil {
		return "", "", err
	}
	got, err := s.Write(context.Background(), fmt.Appendf(nil, "---\nschema_version: '1.0'\nfrom: handoff\nto: %s\n"+
		"topic: canary\nts_utc: '%s'\n---\nA test of the hook.\n", operator, time.Now().UTC().Format(time.RFC3339)))
	if err != nil {
		return "", "", err
	}
	return strings.TrimPrefix(got.ID, "sha256:")[:12], operator, nil
}
