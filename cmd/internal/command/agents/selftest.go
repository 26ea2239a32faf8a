package agents

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// testHooks tests the hooks of an agent, or of all agents.
func testHooks(a *cli.App, _ *cli.None, names []string) error {
	if len(names) == 0 {
		return selfTest(a, agent.Installable(), false)
	}
	return selfTest(a, names, true)
}

// selfTest runs each installed hook of the agents, and prints the results.
func selfTest(a *cli.App, names []string, named bool) error {
	places, err := places(a, false)
	if err != nil {
		return err
	}
	var all []agent.SelfTest
	shell := shellProblem(a)
	for _, name := range names {
		row, err := agent.Find(name)
		if err != nil {
			return err
		}
		entries, errs := row.Entries(places, false)
		for _, err := range errs {
			all = append(all, agent.SelfTest{Agent: name, Problems: []string{err.Error()}})
		}
		tests, err := testEntries(a, entries)
		if err != nil {
			return err
		}
		for i, e := range entries {
			r := tests[i]
			if i > 0 && entries[i-1].Path == e.Path { // as for the hook before
				all = append(all, r)
				continue
			}
			r.Warnings = append(r.Warnings, row.Others(places, e)...)
			if e.Approve() != "" {
				r.Warnings = append(r.Warnings, "handoff cannot see whether "+row.Title+" runs the hook: "+e.Approve())
			}
			if warning := unknownOperator(a, e); warning != "" {
				r.Warnings = append(r.Warnings, warning)
			}
			if shell != "" && row.HasLoginShell() {
				r.Problems = append(r.Problems, shell)
			} else if shell != "" {
				r.Warnings = append(r.Warnings, shell)
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		what := "AGENT"
		if named {
			what = names[0]
		}
		return fault.Config("run `handoff install "+what+"`", "the session hook is not installed")
	}
	return printTests(a, all)
}

// testEntries runs hooks, each in a new project: all at the same time, since one can take as long as its agent allows.
func testEntries(a *cli.App, entries []agent.Entry) ([]agent.SelfTest, error) {
	tests := make([]agent.SelfTest, len(entries))
	var all sync.WaitGroup
	defer all.Wait()
	own, err := a.Sibling("handoff")
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		dir, err := os.MkdirTemp("", "handoff-doctor-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
		to := cmp.Or(agent.Operator(e.Words), "doctor-test")
		stage := agent.Stage{Root: dir, Canary: "canary-" + strings.ToLower(rand.Text()[:12]), Env: stageEnv(to, dir),
			Own: own, Patience: a.Patience}
		if err := layCanary(a, &stage, to); err != nil {
			return nil, err
		}
		all.Go(func() { tests[i] = e.Test(context.Background(), stage) })
	}
	all.Wait()
	return tests, nil
}

// unknownOperator returns a warning if nothing names the operator of the sessions.
func unknownOperator(a *cli.App, e agent.Entry) string {
	if p, err := a.Project(); agent.Operator(e.Words) != "" || err != nil || p.Me() != "" {
		return ""
	}
	return "the operator of the sessions is unknown: run `handoff install " + e.Agent +
		" --to OPERATOR`, or set operator in .handoff.yaml"
}

// shellProblem returns why the shell of an agent cannot run handoff, or "". A login shell can set another PATH.
func shellProblem(a *cli.App) string {
	const effect = "a session cannot run the commands that the hook shows"
	if _, err := exec.LookPath("handoff"); err != nil {
		return "handoff is not on PATH: " + effect + "; add its directory to PATH"
	}
	shell := cmp.Or(a.Getenv("SHELL"), "/bin/sh")
	if runtime.GOOS == "windows" || !filepath.IsAbs(shell) {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-lc", "command -v handoff")
	cmd.WaitDelay = time.Second
	if out, err := cmd.Output(); err == nil && len(out) > 0 {
		return ""
	}
	return "`" + shell + " -lc 'command -v handoff'` finds nothing: in a login shell, " + effect +
		"; add the directory of handoff to PATH in the profile of that shell"
}

// layCanary creates the project of a test, with its unread handoff.
func layCanary(a *cli.App, stage *agent.Stage, to string) error {
	if err := os.WriteFile(filepath.Join(stage.Root, handoff.SettingsName), nil, 0o600); err != nil {
		return err
	}
	elsewhere := *a
	elsewhere.Flags = handoff.ProjectFlags{Root: stage.Root}
	elsewhere.Getenv = func(name string) string {
		switch {
		case strings.HasPrefix(name, "HANDOFF"):
			return ""
		case name == "XDG_STATE_HOME", name == "LocalAppData":
			return stage.Root
		}
		return a.Getenv(name)
	}
	p, s, err := elsewhere.NewStore()
	if err != nil {
		return err
	}
	stage.Store, stage.KeepsNone = s, p.Capture() == handoff.CaptureNone
	write := func(body string) error {
		_, err := s.WriteAll(context.Background(), []handoff.Source{{Fields: &handoff.Document{
			SchemaVersion: "1.0", From: "doctor", To: to, Topic: stage.Canary, Time: a.UTCNow(), Body: body,
		}}})
		return err
	}
	stage.Arrive = func() error { return write("A test of the hook that wakes a session.\n") }
	return write("A test of the hook.\n")
}

// stageEnv returns the environment of a test: that of an agent, without variables that point to another project or to
// the agent that runs the test.
func stageEnv(operator, root string) []string {
	env := []string{"HANDOFF_OPERATOR=" + operator}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "HANDOFF") && !strings.HasPrefix(pair, "COPILOT_CLI=") {
			env = append(env, pair)
		}
	}
	return append(env, "XDG_STATE_HOME="+root, "LocalAppData="+root) // the state is removed with the project
}

func printTests(a *cli.App, all []agent.SelfTest) error {
	problems := 0
	for _, r := range all {
		problems += len(r.Problems)
		if a.JSON {
			if err := a.PrintJSON(r); err != nil {
				return err
			}
			continue
		}
		where := strings.TrimSpace(r.Agent + " " + string(r.Event))
		reach := fmt.Sprint(r.Characters, " characters reach the model")
		if r.Event == agent.Stop {
			where, reach = where+" at "+r.At, "what a session leaves is kept"
		}
		if r.Path != "" {
			where += ", " + r.Path
		}
		for _, p := range r.Problems {
			fmt.Fprintln(a.Stderr, "handoff: "+handoff.EscapeLine(where+": "+p))
		}
		if len(r.Problems) == 0 {
			a.Note(fmt.Sprintf("%s: %s passed, the slowest took %s; %s", where,
				handoff.Count(r.Runs, "run"), r.Slowest, reach))
		}
		for _, w := range r.Warnings {
			a.Note("warning: " + r.Agent + ": " + w)
		}
	}
	if problems > 0 {
		return fault.Config("", "%s with the session hook", handoff.Count(problems, "problem"))
	}
	return nil
}
