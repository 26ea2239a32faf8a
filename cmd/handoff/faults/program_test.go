//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const module = "../../.."

// The programs that were compiled, by their names. They go with the last test.
var builds struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if builds.dir, err = os.MkdirTemp("", "handoff-faults-"); err != nil {
		panic(err)
	}
	builds.paths = map[string]string{}
	code := m.Run()
	os.RemoveAll(builds.dir)
	os.Exit(code)
}

// build compiles the program, or a broken one, and returns its path.
func build(t *testing.T, how string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if builds.paths[how] == "" {
		builds.paths[how] = compile(t, how)
	}
	return builds.paths[how]
}

func words(s string) []string { return strings.Fields(s) }

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
}

// hangs is how long a command may take before a sweep says that it hangs, and goes on.
const hangs = 5 * time.Minute

// start runs a program in dir to its end. The user's state is beside dir. The Go runtime sends no signals: after one,
// strace with --seccomp-bpf misses the next call.
func start(dir string, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Minute
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with what strace has started
	cmd.Env = append(environ(dir), "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return result{code: -2, stderr: err.Error()}
	}
	return result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(),
		late: ctx.Err() != nil}
}

func environ(dir string) []string {
	return append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(filepath.Dir(dir), "home"), "HANDOFFS_DIR=",
		"HANDOFF_STATE_DIR=", "HANDOFF_OPERATOR=")
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

// mode is how much is wanted: "", "ci" or "all".
func mode() string { return os.Getenv("HANDOFF_FAULTS") }

// thorough skips the test unless the sweeps are wanted.
func thorough(t *testing.T) {
	t.Helper()
	if mode() == "" {
		t.Skip("takes minutes: set HANDOFF_FAULTS=ci or HANDOFF_FAULTS=all")
	}
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

// some are at most n of a list, the same in each run with the same HANDOFF_SEED.
func some[T any](list []T, n int, seed string) []T {
	if n >= len(list) {
		return list
	}
	sum := fnv.New64a()
	sum.Write([]byte(seed + os.Getenv("HANDOFF_SEED")))
	list = append([]T{}, list...)
	rand.New(rand.NewPCG(sum.Sum64(), 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// A site is a project in a directory of its own, with the home of its user beside it.
type site struct {
	program
	root string // the directory of both
	dir  string // the project
}

// newSite makes a site, in a memory file system if the caller may mount one: syncs cost nothing there.
func newSite(t *testing.T, bin string) site {
	t.Helper()
	tmp := t.TempDir()
	if os.Geteuid() == 0 && exec.Command("mount", "-t", "tmpfs", "-o", "mode=755", "handoff-faults", tmp).Run() == nil {
		t.Cleanup(func() { exec.Command("umount", "-l", tmp).Run() })
	}
	s := site{program{bin}, filepath.Join(tmp, "site"), filepath.Join(tmp, "site", "project")}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// run gives a command in the project.
func (s site) run(args ...string) result { return s.handoff(s.dir, args...) }

// keep copies a site, for reset.
func (s site) keep() error {
	return errors.Join(os.RemoveAll(s.root+".kept"), copyInto(s.root+".kept", s.root))
}

// reset makes the site what it was when it was kept.
func (s site) reset() error {
	return errors.Join(os.RemoveAll(s.root), copyInto(s.root, s.root+".kept"))
}

// copyInto copies a directory, which has only directories and small files.
func copyInto(to, from string) error {
	return filepath.Walk(from, func(path string, info fs.FileInfo, err error) error {
		name, relErr := filepath.Rel(from, path)
		if err = errors.Join(err, relErr); err != nil {
			return err
		}
		to := filepath.Join(to, name)
		if info.IsDir() {
			return errors.Join(os.MkdirAll(to, 0o700), os.Chmod(to, info.Mode().Perm()))
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(to, text, 0o600), os.Chmod(to, info.Mode().Perm()))
	})
}
