//go:build linux

package tui_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Whatever ends the program, the terminal is as it was.
func TestSignals(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, 80, 24, root, "inbox")
			s.sees("Where it stands")
			if s.termios() == s.before {
				t.Error("the terminal is not raw, and this test proves nothing")
			}
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := s.leaves(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// A bug ends the program, on a terminal that is as it was.
func TestPanic(t *testing.T) {
	t.Parallel()
	root, file := project(t, docs()...), filepath.Join(t.TempDir(), "panic")
	for _, name := range []string{"in View", "in a command"} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(file)
			s := startCommand(t, 80, 200, root, []string{panicFile + "=" + file}, self(t), "inbox")
			s.sees("Where it stands")
			s.press("?") // shows no time
			s.sees("mark it as read; esc")
			if name == "in a command" {
				write(t, root, handoff.Document{From: "ann", To: "ben", Topic: "new", Time: "2026-11-22T08:00:00Z"})
			}
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "in View" {
				s.press("?")
			}
			if code := s.leaves(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			s.sees("program experienced a panic")
		})
	}
}

// A terminal may become any size, and the program goes on.
func TestResize(t *testing.T) {
	t.Parallel()
	s := start(t, 80, 24, project(t, docs()...), "inbox")
	s.sees("Where it stands")
	for _, size := range [][2]int{{1, 1}, {2, 3}, {500, 2}, {3, 200}, {300, 120}, {1, 1}} {
		for len(s.news) > 0 {
			<-s.news
		}
		s.resize(size[0], size[1])
		s.press("j?x\rkG")
		select {
		case <-s.news:
		case <-s.late:
			t.Fatalf("nothing is drawn at %v", size)
		}
		s.press("\x1b")
	}
	s.resize(80, 24)
	s.sees("Inbox ")
	if code := s.quits(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A terminal that does not know its size gets a screen of the usual one.
func TestNoSize(t *testing.T) {
	t.Parallel()
	s := start(t, 80, 24, project(t, docs()...), "inbox")
	s.sees("Where it stands")
	if err := pty.Setsize(s.master, &pty.Winsize{}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // by the second time it has heard of the size
		s.press("?")
		s.sees("mark it as read; esc")
		s.press("x")
		s.sees("Where it stands")
	}
	s.quits()
}
