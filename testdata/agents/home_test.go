package agents

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	run    = flag.Bool("agents", false, "run the agents that are installed")
	update = flag.Bool("update", false, "write the shapes that agents give and take")
)

const module = "github.com/seed-78daf238/handoff"

var bin string // of the programs of this tree

func TestMain(m *testing.M) {
	if setting := os.Getenv(wrapperVariable); setting != "" {
		os.Exit(runWrapper(setting, os.Args[1:]))
	}
	flag.Parse()
	code := 1
	dir, err := os.MkdirTemp("", "handoff-agents-")
	if err == nil && *run {
		bin = filepath.Join(dir, "bin")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", bin+"/", module+"/cmd/handoff").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	if err == nil {
		code = m.Run()
		report()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// A desk is a scratch home with a project in it, in which ben has one handoff from ann unread.
type desk struct {
	*testing.T
	model         *model
	home, project string
	path          string
	env           []string
	id            string // 12 digits of the handoff's
}

const canary = "canary-topic"

// patience is how long an agent may take, on a busy machine too.
const patience = 6 * time.Minute

func newDesk(t *testing.T, a coder) *desk {
	t.Helper()
	if !*run {
		t.Skip("needs -agents: runs the coding agents that are installed")
	}
	program, err := exec.LookPath(a.program)
	if err != nil {
		t.Skipf("%s is not installed", a.program)
	}
	d := &desk{T: t, model: newModel(t), home: home(t), path: bin + ":" + filepath.Dir(program) + ":" + os.Getenv("PATH")}
	d.project = filepath.Join(d.home, "project")
	d.env = []string{"HOME=" + d.home, "TERM=xterm-256color", "LANG=C.UTF-8"}
	d.write("project/.handoff.yaml", "operator: ben\n")
	d.sh("git init -q . && printf 'A secret plan.\\n' | handoff write - --from ann --to ben --topic " + canary + " --ts 2026-05-07T12:00:00Z -q")
	d.id = strings.TrimSpace(d.sh("handoff list --format ids"))[len("sha256:"):][:12]
	for _, pair := range a.env {
		d.env = append(d.env, strings.ReplaceAll(pair, "@model", d.model.URL))
	}
	a.prepare(d)
	return d
}

// home returns a scratch directory. What an agent has started may write there for a moment after the agent was killed.
func home(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "handoff-agents-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}

// write writes a file below the home.
func (d *desk) write(name, text string) {
	d.Helper()
	path := filepath.Join(d.home, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// read reads a file below the home, "" if there is none.
func (d *desk) read(name string) string {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.home, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.Fatal(err)
	}
	return string(text)
}

// sh runs a script in the project, which must succeed.
func (d *desk) sh(script string) string {
	d.Helper()
	out, err := d.command("sh", "-c", script).CombinedOutput()
	if err != nil {
		d.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func (d *desk) command(words ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(d.Context(), patience)
	d.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "env", words...)
	cmd.Dir = d.project
	cmd.Env = append([]string{"PATH=" + d.path}, d.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// agent runs an agent, which must end well, and returns what it printed.
func (d *desk) agent(words ...string) string {
	d.Helper()
	out, err := d.command(words...).CombinedOutput()
	if err != nil {
		d.Fatalf("%v: %v\n%s", words, err, out)
	}
	return string(out)
}

// gone kills a process group, and waits until it is gone: what a process started dies a little later.
func gone(pid int) {
	for range 100 {
		if syscall.Kill(-pid, syscall.SIGKILL) != nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A row is what reached a model, for the report.
type row struct {
	agent, way, when string
	sighting
}

var rows []row

// expect notes how often a text is in what the model was asked last, in which role, and that it is there once.
func (d *desk) expect(a coder, way, when, needle string) {
	d.Helper()
	found := d.model.sees(needle, "")
	d.note(a, way, when, needle, found, a.role)
}

// expectResult is expect for the result of a tool.
func (d *desk) expectResult(a coder, way, when, needle string) {
	d.Helper()
	d.note(a, way, when, needle, d.model.sees(needle, "tool"), "tool")
}

func (d *desk) note(a coder, way, when, needle string, found sighting, role string) {
	d.Helper()
	rows = append(rows, row{a.name, way, when, found})
	if found.count != 1 || found.role != role {
		d.Errorf("%s, %s: %q is there %d times, in the role %q; want 1, %q", way, when, needle, found.count, found.role, role)
	}
}

func report() {
	if len(rows) == 0 {
		return
	}
	fmt.Println("| agent | by | when | role | copies |\n|---|---|---|---|---|")
	for _, r := range rows {
		fmt.Printf("| %s | %s | %s | %s | %d |\n", r.agent, r.way, r.when, r.role, r.count)
	}
}
