package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/cmd/internal/full"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// The scripts run this test binary as the programs. Three variables let a script be somewhere else; the
// released programs know none of them.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"handoff": func() { runMain(command.Program()) }, "handoff-full": func() { runMain(full.Program()) }, "onterminal": typed})
}

// tests removes, after the last test, the programs that the tests built.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer func() { os.RemoveAll(built.dir) }()
	return m.M.Run()
}

// built is where the programs are that [programs] built.
var built struct {
	sync.Once
	dir string
	err error
}

// programs returns the directory with handoff and handoff-full as they are released. The first test that asks builds them.
func programs(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "handoff-built-"); built.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-o", built.dir+"/", ".", "../handoff-full").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

func runMain(program cli.Program) {
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(cli.Run(cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd,
		Executable: os.Executable, Options: testOptions, Patience: time.Minute}, program))
}

func testOptions(o *handoff.Options) {
	if text := os.Getenv("TEST_NOW"); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		o.Now = func() time.Time { return at }
	}
	if name := os.Getenv("TEST_MACHINE"); name != "" {
		o.Fingerprint = func() (string, error) { return fmt.Sprintf("%064x", []byte(name)), nil }
	}
	if os.Getenv("LOA_HANDOFF_DISABLE_FINGERPRINT") != "" {
		o.Fingerprint = func() (string, error) { return fmt.Sprintf("%064d", 0), nil }
	}
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			bin := filepath.SplitList(e.Getenv("PATH"))[0] // where the programs are, for other users too
			if err := os.Chmod(filepath.Dir(bin), 0o755); err != nil {
				return err
			}
			if err := linkAgent(bin); err != nil {
				return err
			}
			e.Setenv("BIN", bin)
			e.Setenv("TEST_MACHINE", "one")
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
			case cond == "chattr": // not every file system and container has it
				f := filepath.Join(t.TempDir(), "f")
				err := os.WriteFile(f, nil, 0o600)
				return err == nil && exec.Command("chattr", "+a", f).Run() == nil && exec.Command("chattr", "-a", f).Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "same": same, "id": id, "outside": outsideOf},
	})
}

// exits runs a command and compares its exit code: exits N COMMAND ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
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

// outsideOf keeps the path of what the store of a project has outside of it in a variable: outside NAME ROOT.
func outsideOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: outside NAME ROOT")
	}
	root := ts.MkAbs(args[1])
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, UserState: filepath.Join(ts.Getenv("XDG_STATE_HOME"), "handoff")})
	ts.Check(err)
	path, err := s.Exchange().OutsidePath()
	ts.Check(err)
	ts.Setenv(args[0], path)
}

// linkAgent makes a shell of the name agent: a hook that it runs is not behind a shell.
func linkAgent(bin string) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil // then the scripts that need it fail
	}
	if err = os.Symlink(shell, filepath.Join(bin, "agent")); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
