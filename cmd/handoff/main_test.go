package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// here is the directory of this package, wherever a test goes.
var here, _ = os.Getwd()

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"onterminal": typed})
}

// tests removes, after the last test, the programs that the tests built.
type tests struct{ *testing.M }

func (m tests) Run() int {
	flag.Parse()
	if at := flag.Lookup("test.parallel").Value; at.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = at.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0))) // most of them wait for programs, which wait for disks, shells and git
	}
	defer func() {
		released.remove()
		scripts.remove()
	}()
	return m.M.Run()
}

// raceFlag builds the programs as this test was built.
var raceFlag []string

// A built is a directory with handoff. The first test that asks for it builds it.
type built struct {
	once sync.Once
	from string // the package in the module
	dir  string
	err  error
}

var (
	released = built{from: "/cmd/handoff"}                  // the program as it is released
	scripts  = built{from: "/cmd/handoff/testdata/handoff"} // the one for scripts, which may set their time and machine
)

func (b *built) in(t *testing.T) string {
	t.Helper()
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "handoff-built-"); b.err != nil {
			return
		}
		// What go run links, it keeps for the next time; go build links each time anew.
		args := append([]string{"run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp"}, raceFlag...)
		cmd := exec.Command("go", append(args, module+b.from, b.dir+"/")...)
		cmd.Dir = here
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.dir
}

func (b *built) remove() { os.RemoveAll(b.dir) }

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, inScripts(t, files))
}

// inScripts returns how scripts run: each in a project of its own.
func inScripts(t *testing.T, files []string) testscript.Params {
	bin := scripts.in(t)
	if err := errors.Join(os.Chmod(bin, 0o755), linkAgents(bin)); err != nil { // other users run the programs too
		t.Fatal(err)
	}
	return testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("BIN", bin)
			e.Setenv("TEST_MACHINE", "one")
			e.Setenv("HANDOFF_FAULTS", os.Getenv("HANDOFF_FAULTS")) // scripts with long loops go through all then
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(e.WorkDir), "state-"+filepath.Base(e.WorkDir)))
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // built with the race detector, a command would take a second to exit
			e.Setenv("GOGC", "off")                 // commands are short: they end before it would pay
			e.Setenv("GOMEMLIMIT", "1GiB")
			return os.WriteFile(filepath.Join(e.WorkDir, handoff.SettingsName), nil, 0o644)
		},
		Condition: func(cond string) (bool, error) {
			switch {
			case cond == "root":
				return os.Geteuid() == 0 && exec.Command("unshare", "-m", "true").Run() == nil, nil
			case cond == "landlock":
				return hasLandlock(), nil
			case cond == "chattr": // not every file system and container has it
				f := filepath.Join(t.TempDir(), "f")
				err := os.WriteFile(f, nil, 0o600)
				return err == nil && exec.Command("chattr", "+a", f).Run() == nil && exec.Command("chattr", "-a", f).Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"handoff": bare, "exits": exits, "same": same, "id": id, "sandboxed": sandboxed},
	}
}

// TestLife runs the cases of testdata/life. A folder has the files of a person, and in case.txt what that person wants,
// does, and must get.
func TestLife(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/life/*/case.txt")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			p := inScripts(t, []string{file})
			prepare := p.Setup
			p.Setup = func(e *testscript.Env) error {
				e.Setenv("HANDOFF_OPERATOR", "ann")
				return errors.Join(prepare(e), os.CopyFS(e.WorkDir, os.DirFS(filepath.Dir(file))))
			}
			testscript.Run(t, p)
		})
	}
}

// bare runs handoff: handoff ARG…
func bare(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("handoff", args...); (err != nil) != neg {
		ts.Fatalf("handoff: %v", err)
	}
}

// exits runs a command and compares its exit code: exits N COMMAND ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND ARG…")
	}
	compareExit(ts, args[0], ts.Exec(args[1], args[2:]...))
}

// compareExit compares how a command ended with an exit code.
func compareExit(ts *testscript.TestScript, code string, err error) {
	want, atoiErr := strconv.Atoi(code)
	ts.Check(atoiErr)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// same compares two files byte by byte: same A B.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same A B")
	}
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: same is %v", args[0], args[1], neg)
	}
}

// id keeps the id of the first receipt that was printed in a variable: id NAME.
func id(ts *testscript.TestScript, neg bool, args []string) {
	found := regexp.MustCompile(`"handoff_id":"(sha256:[0-9a-f]{64})"`).FindStringSubmatch(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || found == nil {
		ts.Fatalf("usage: id NAME, after a command that prints a receipt")
	}
	ts.Setenv(args[0], found[1])
}

// linkAgents makes shells with the names of agents: what they run has such a process above it.
func linkAgents(bin string) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil // then the scripts that need it fail
	}
	for _, name := range []string{"agent", "claude", "codex"} {
		if err := os.Symlink(shell, filepath.Join(bin, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
