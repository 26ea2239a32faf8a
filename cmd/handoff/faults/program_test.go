//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

const module = "../../.."

// A workshop keeps the programs that were compiled, by their names. They go with the last test.
type workshop struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

var builds = workshop{paths: make(map[string]string)}

// path returns where the program of a name is, which make makes if it is not there.
func (w *workshop) path(t *testing.T, name string, make func() string) string {
	t.Helper()
	w.Lock()
	defer w.Unlock()
	if w.paths[name] == "" {
		w.paths[name] = make()
	}
	return w.paths[name]
}

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if builds.dir, err = os.MkdirTemp("", "handoff-faults-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(builds.dir)
	os.Exit(code)
}

// build compiles the program and returns its path.
func build(t *testing.T) string {
	t.Helper()
	return builds.path(t, "", func() string { return compile(t, nil) })
}

func compile(t *testing.T, edits []edit) string {
	t.Helper()
	tmp, err := os.MkdirTemp(builds.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(tmp, "handoff")
	// What go run links, it keeps for the next time; go build links each time anew.
	args := []string{"run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp"}
	if len(edits) > 0 {
		args = append(args, "-overlay", overlay(t, tmp, edits))
	}
	cmd := exec.Command("go", append(args, "./cmd/handoff", tmp+"/")...)
	cmd.Dir, cmd.Env = module, os.Environ()
	if os.Getenv("HANDOFF_FAULTS") != "" { // what the linker of C programs does at the start of a program need not be swept
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// A result is how a run of a program ended. A code of -1 is a death by signal.
type result struct {
	code   int
	stdout string
	stderr string
	late   bool // did not end in time
	hit    bool // an injection took place
	hurt   bool // a system call of it failed
}

// hangs is how long a command may take before a sweep says that it hangs, and goes on.
const hangs = 10 * time.Minute

// start runs a program in dir to its end.
func start(dir string, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Minute
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with what strace has started
	cmd.Env = quiet(dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	hangUp, err := onAnyTerminal(cmd, &stderr)
	if err == nil {
		err = cmd.Run()
		hangUp()
	}
	if cmd.ProcessState == nil {
		return result{code: -2, stderr: err.Error()}
	}
	return result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), late: ctx.Err() != nil}
}

// quiet is the environment of commands in a directory, without signals of the Go runtime: after one, strace with
// --seccomp-bpf misses the next call.
func quiet(dir string) []string {
	return append(environ(dir), "GOGC=off", "GODEBUG=asyncpreemptoff=1", "HANDOFF_OPERATOR=")
}

// environ is the environment of commands in a directory. What the program keeps for the user lies beside it: see [homeOf].
func environ(dir string) []string {
	return append(os.Environ(), "XDG_STATE_HOME="+homeOf(dir), "HANDOFFS_DIR=", "HANDOFF_STATE_DIR=")
}

// homeOf is where the secret of the user lies who works in dir.
func homeOf(dir string) string { return filepath.Join(filepath.Dir(dir), "home") }

// onAnyTerminal gives a command that asks a terminal, where somebody answers y, and puts what that shows into screen.
// What it returns ends that, once the command has ended.
func onAnyTerminal(cmd *exec.Cmd, screen *bytes.Buffer) (hangUp func(), err error) {
	if !slices.Contains(cmd.Args, "--steal") {
		return func() {}, nil
	}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	seen := make(chan bool)
	go func() { _, _ = io.Copy(screen, master); close(seen) }() // fails when nobody has the terminal any more
	cmd.Stdin, cmd.Stderr = slave, slave
	_, err = master.WriteString("y\n")
	return func() { slave.Close(); <-seen; master.Close() }, err
}

// must runs a program and fails the test unless it exits 0.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := start(dir, args...)
	if r.code != 0 {
		t.Fatalf("%v: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// thorough skips the test unless the sweeps are wanted, and says whether all of them are.
func thorough(t *testing.T) (all bool) {
	t.Helper()
	mode := os.Getenv("HANDOFF_FAULTS")
	if mode == "" {
		t.Skip("takes minutes: set HANDOFF_FAULTS=ci or HANDOFF_FAULTS=all")
	}
	needs(t, "strace")
	return mode == "all"
}

func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || exec.Command("unshare", "-m", "true").Run() != nil {
		t.Skip("needs root and the right to mount")
	}
}

// memory returns a directory where syncs cost nothing, if the caller may mount one.
func memory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() == 0 && exec.Command("mount", "-t", "tmpfs", "-o", "mode=755", "handoff-faults", dir).Run() == nil {
		t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	}
	return dir
}
