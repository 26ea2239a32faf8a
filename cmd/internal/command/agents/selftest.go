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
		Short: "Run the installed session hook as the agent would, and say what is wrong with it",
		Long: `Run the hook that is installed for an agent, or for each, in a project of its own with one unread handoff:
for every source of a session (startup, resume, clear, compact, fork) and with standard input open, silent,
closed, huge and full of garbage. Each run must end in time with exit code 0, print the agent's own
envelope, no more than the agent takes, the same bytes each time, and name the handoff. It also says what turns the
hook off, in any settings of the agent, where a session would be told twice, and what has to be approved in the agent. Exits with 7 if something is wrong.`,
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

// selfTest runs what is installed for the agents, and reports on each entry.
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
				r.Warnings = append(r.Warnings, "whether "+row.Title+" runs it cannot be seen from here: "+e.Approve())
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

// testEntry runs one entry in a project of its own.
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
			warning = "who the sessions work for is not known here: run `handoff install " + e.Agent + " --to OPERATOR`, or set operator in .handoff.yaml"
		}
	}
	own, err := a.Beside("handoff")
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
		r.Warnings = append(r.Warnings, "handoff is not on PATH here: if it is not on that of the agent's shell, the commands that a session is told of are not found")
	}
	return r, nil
}

// layCanary makes the project of a stage, with its unread handoff.
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

// stageEnv is the environment that an agent would give, but for what would lead out of the stage, or speak of the agent that
// this is run from.
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
			a.Note(fmt.Sprintf("%s: well in %s, the slowest %s; %d characters reach the model", where, handoff.Count(r.Runs, "run"), r.Slowest, r.Characters))
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
