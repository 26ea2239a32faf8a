package agents

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func DoctorHookCommand(run *cli.App) *cobra.Command {
	a := &app{run}
	return &cobra.Command{
		Use:   "hook [AGENT]",
		Short: "Test the installed session hook of an agent",
		Long: `Test the session hook of an agent, or of every agent that has it. The test runs
the hook in a new project with one unread handoff, for each source of a session
(startup, resume, clear, compact, fork). Standard input is open, silent,
closed, huge or full of garbage. Each run must end in time with exit code 0,
print the envelope of the agent within its limit, print the same bytes each
time, and name the handoff.

The test also warns if settings of the agent turn the hook off, if a session
would be told twice, and if you must approve the hook in the agent.

Exit codes: 7 something is wrong.`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return agent.Installable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, names []string) error {
			named := len(names) > 0
			if !named {
				names = agent.Installable()
			}
			return a.selfTest(names, named)
		},
	}
}

// selfTest runs each installed hook of the agents, and prints the results.
func (a *app) selfTest(names []string, named bool) error {
	places, err := a.places(false)
	if err != nil {
		return err
	}
	var all []agent.SelfTest
	for _, name := range names {
		row, err := agent.Find(name)
		if err != nil {
			return err
		}
		entries, errs := row.Entries(places, false)
		for _, err := range errs {
			all = append(all, agent.SelfTest{Agent: name, Problems: []string{err.Error()}})
		}
		for _, e := range entries {
			r, err := a.testEntry(e)
			if err != nil {
				return err
			}
			r.Warnings = append(r.Warnings, row.Others(places, e)...)
			if e.Approve() != "" {
				r.Warnings = append(r.Warnings, "handoff cannot see whether "+row.Title+" runs the hook: "+e.Approve())
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		what := "AGENT"
		if named {
			what = names[0]
		}
		return &handoff.Error{Class: handoff.ErrConfig, Problem: "the session hook is not installed", Advice: "run `handoff install " + what + "`"}
	}
	return a.printTests(all)
}

// testEntry runs one hook in a new project.
func (a *app) testEntry(e agent.Entry) (agent.SelfTest, error) {
	dir, err := os.MkdirTemp("", "handoff-doctor-")
	if err != nil {
		return agent.SelfTest{}, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return agent.SelfTest{}, err
	}
	to, warning := agent.Operator(e.Words), ""
	if to == "" {
		to = "doctor-test"
		if p, err := a.Project(); err == nil && p.Me() == "" {
			warning = "the operator of the sessions is unknown: run `handoff install " + e.Agent + " --to OPERATOR`, or set operator in .handoff.yaml"
		}
	}
	own, err := a.Sibling("handoff")
	if err != nil {
		return agent.SelfTest{}, err
	}
	stage := agent.Stage{Root: dir, Canary: "canary-" + strings.ToLower(rand.Text()[:12]), Env: stageEnv(to), Own: own}
	if err := a.layCanary(stage, to); err != nil {
		return agent.SelfTest{}, err
	}
	r := e.Test(context.Background(), stage)
	if warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	if _, err := exec.LookPath("handoff"); err != nil {
		r.Warnings = append(r.Warnings, "handoff is not on PATH: a session cannot run the commands that the hook shows, unless PATH differs in the agent's shell")
	}
	return r, nil
}

// layCanary creates the project of a test, with its unread handoff.
func (a *app) layCanary(stage agent.Stage, to string) error {
	if err := os.WriteFile(filepath.Join(stage.Root, handoff.SettingsName), nil, 0o600); err != nil {
		return err
	}
	elsewhere := *a.App
	elsewhere.Flags = handoff.ProjectFlags{Root: stage.Root}
	elsewhere.Getenv = func(name string) string {
		if strings.HasPrefix(name, "HANDOFF") {
			return ""
		}
		return a.Getenv(name)
	}
	s, err := elsewhere.Store()
	if err != nil {
		return err
	}
	_, err = s.WriteAll(context.Background(), []handoff.Source{{Fields: &handoff.Document{
		SchemaVersion: "1.0", From: "doctor", To: to, Topic: stage.Canary, Time: a.UTCNow(), Body: "A test of the hook.\n",
	}}})
	return err
}

// stageEnv returns the environment of a test: that of an agent, without variables that point to another project or to the
// agent that runs the test.
func stageEnv(operator string) []string {
	env := []string{"HANDOFF_OPERATOR=" + operator}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "HANDOFF") && !strings.HasPrefix(pair, "COPILOT_CLI=") {
			env = append(env, pair)
		}
	}
	return env
}

func (a *app) printTests(all []agent.SelfTest) error {
	problems := 0
	for _, r := range all {
		problems += len(r.Problems)
		if a.JSON {
			if err := a.PrintJSON(r); err != nil {
				return err
			}
			continue
		}
		where := r.Agent
		if r.Path != "" {
			where += ", " + r.Path
		}
		for _, p := range r.Problems {
			fmt.Fprintln(a.Stderr, "handoff: "+handoff.EscapeLine(where+": "+p))
		}
		if len(r.Problems) == 0 {
			a.Note(fmt.Sprintf("%s: %s passed, the slowest took %s; %d characters reach the model", where, handoff.Count(r.Runs, "run"), r.Slowest, r.Characters))
		}
		for _, w := range r.Warnings {
			a.Note("warning: " + r.Agent + ": " + w)
		}
	}
	if problems > 0 {
		return &handoff.Error{Class: handoff.ErrConfig, Problem: handoff.Count(problems, "problem") + " with the session hook"}
	}
	return nil
}
