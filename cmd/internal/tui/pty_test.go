//go:build linux

package tui_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	asProgram = "TEST_AS_PROGRAM" // makes the test binary the program
	panicFile = "TEST_PANIC"      // names a file: once it is there, asking for the time panics
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Run(cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd,
		Executable: os.Executable, Options: testOptions}, command.Program()))
}

// patience is how long a terminal is waited for before its test fails.
var patience = flag.Duration("patience", 5*time.Minute, "")

var today = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func testOptions(o *handoff.Options) {
	file := os.Getenv(panicFile)
	o.Fingerprint = func() (string, error) { return strings.Repeat("0", 64), nil }
	o.Now = func() time.Time {
		if _, err := os.Stat(file); file != "" && err == nil {
			panic("the clock is broken")
		}
		return today
	}
}

// A session is the program in a terminal.
type session struct {
	testing.TB
	master, slave *os.File
	before        unix.Termios
	cmd           *exec.Cmd
	ended         chan error
	late          <-chan struct{} // closed when it is too late for what a test waits for

	mu     sync.Mutex
	screen *vt
	news   chan bool
}

// self returns the test binary, which is the program too.
func self(t testing.TB) string {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start runs the program in a terminal of that size. It ends with the test.
func start(t testing.TB, width, height int, dir string, args ...string) *session {
	t.Helper()
	return startCommand(t, width, height, dir, nil, append([]string{self(t)}, args...)...)
}

func startCommand(t testing.TB, width, height int, dir string, env []string, command ...string) *session {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	s := &session{TB: t, master: master, slave: slave, screen: newVT(width, height), news: make(chan bool, 1), ended: make(chan error, 1), late: late(t)}
	s.resize(width, height)
	s.before = s.termios()
	s.before.Lflag &^= unix.ISIG // a key pressed while the program leaves would be a signal, which drops what it wrote last
	if err := unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, &s.before); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Dir, s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = dir, slave, slave, slave
	s.cmd.Env = append(os.Environ(), append([]string{asProgram + "=1", "TERM=xterm-256color", "TERM_PROGRAM=", "NO_COLOR=", "HANDOFF_OPERATOR=ben", "VISUAL=", "EDITOR=true", "TZ=UTC", "HOME=" + t.TempDir(), "XDG_STATE_HOME=" + dir + ".state"}, env...)...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read()
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		slave.Close()
		master.Close()
	})
	return s
}

func (s *session) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		_, _ = s.screen.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.news <- true:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *session) resize(width, height int) {
	s.Helper()
	s.mu.Lock()
	s.screen.resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.master, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.Fatal(err)
	}
}

func (s *session) termios() unix.Termios {
	s.Helper()
	state, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	if err != nil {
		s.Fatal(err)
	}
	return *state
}

func (s *session) press(keys string) {
	s.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// late returns a channel that is closed after some minutes, and shortly before go test gives up: a failure shows the screen.
func late(t testing.TB) <-chan struct{} {
	end := time.Now().Add(*patience)
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if last, ok := limited.Deadline(); ok && last.Add(-5*time.Second).Before(end) {
			end = last.Add(-5 * time.Second)
		}
	}
	ctx, stop := context.WithDeadline(context.Background(), end)
	t.Cleanup(stop)
	return ctx.Done()
}

// awaits returns once something is so, after what the terminal got. It reports false where it is not until go test gives up.
func (s *session) awaits(is func() bool) bool { return s.awaitsUntil(s.late, is) }

// settles is awaits for what is kept in a file. It gives up after a minute: what is shown may be meant to differ.
func (s *session) settles(is func() bool) {
	other, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	s.awaitsUntil(other.Done(), is)
}

func (s *session) awaitsUntil(late <-chan struct{}, is func() bool) bool {
	for !is() {
		select {
		case <-s.news:
		case <-late:
			return is()
		}
	}
	return true
}

// sees waits until everything is on the screen, and returns it.
func (s *session) sees(want ...string) string {
	s.Helper()
	return s.until(fmt.Sprint(want), func(text string) bool {
		for _, w := range want {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

func (s *session) until(what string, is func(text string) bool) string {
	s.Helper()
	text := ""
	if !s.awaits(func() bool { text = s.text(); return is(text) }) {
		s.Fatalf("not seen: %s\n%s", what, text)
	}
	return text
}

// leaves waits for the end of the program, and for the terminal as it was.
func (s *session) leaves() (code int) {
	s.Helper()
	select {
	case <-s.ended:
	case <-s.late:
		s.Fatalf("it does not end\n%s", s.text())
	}
	s.isAsBefore()
	return s.cmd.ProcessState.ExitCode()
}

// quits asks the program to quit until it does, wherever its user is in it.
func (s *session) quits() (code int) {
	s.Helper()
	again := time.NewTicker(200 * time.Millisecond) // a key may be a part of what was pressed before
	defer again.Stop()
	for {
		s.press("\x03")
		select {
		case err := <-s.ended:
			s.ended <- err
			return s.leaves()
		case <-s.late:
			return s.leaves()
		case <-again.C:
		}
	}
}

// isAsBefore waits for the terminal to be as it was before the program.
func (s *session) isAsBefore() {
	s.Helper()
	left := ""
	if !s.awaits(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		v := s.screen
		left = fmt.Sprintf("modes %v, keyboard %d, other keys %v, own style %v, odd %q, raw %v", v.modes, v.keyboard, v.otherKeys, v.style == pen{}, v.unknown, s.termios() != s.before)
		return left == `modes map[7:true 25:true], keyboard 0, other keys false, own style true, odd [], raw false`
	}) {
		s.Errorf("the terminal is left with %s\n%s", left, s.text())
	}
}

// A project is a directory with handoffs.
func project(t testing.TB, docs ...handoff.Document) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "harbour")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, handoff.SettingsName), []byte("verify_operators: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(docs) > 0 {
		write(t, root, docs...)
	}
	return root
}

func write(t testing.TB, root string, docs ...handoff.Document) (ids []string) {
	t.Helper()
	s := open(t, root)
	var sources []handoff.Source
	for _, doc := range docs {
		doc.SchemaVersion = "1.0"
		sources = append(sources, handoff.Source{Fields: &doc})
	}
	receipts, err := s.WriteAll(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receipts {
		ids = append(ids, r.ID)
	}
	return ids
}

func open(t testing.TB, root string) *handoff.Store {
	t.Helper()
	p, err := handoff.LoadProject(root, func(string) string { return "" }, handoff.ProjectFlags{})
	if err != nil {
		t.Fatal(err)
	}
	testOptions(&p.Options)
	p.Options.Rules = handoff.PlainRules
	p.Options.UserState = filepath.Join(root+".state", "handoff")
	s, err := handoff.Open(p.Options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
