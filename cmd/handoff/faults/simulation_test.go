//go:build linux

package faults_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A simulation cuts the power in a model, and looks at what the program makes of what is left.
type simulation struct {
	sweep
	base tree // before the command
}

// mounted does something in a memory file system of its own.
func mounted(tmp string, do func(mount string) error) error {
	mount, err := os.MkdirTemp(tmp, "memory-")
	if err != nil {
		return err
	}
	defer os.Remove(mount)
	if err := unix.Mount("handoff-faults", mount, "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	defer unix.Unmount(mount, unix.MNT_DETACH)
	return do(mount)
}

func newSimulation(t *testing.T, p program, sc scenario) *simulation {
	t.Helper()
	s := &simulation{sweep: sweep{program: p, scenario: sc, t: t}}
	err := mounted(p.tmp, func(mount string) (err error) {
		dir := filepath.Join(mount, "project")
		p.fill(t, dir, sc)
		s.before = look(dir)
		s.base, err = readTree(dir, tree{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// history runs a command on a tree and returns what it did.
func (s *simulation) history(on tree, command []string) (h history, r result) {
	s.t.Helper()
	err := mounted(s.tmp, func(mount string) error {
		dir, err := on.make(mount)
		if err != nil {
			return err
		}
		var calls []sysCall
		calls, r = s.record(s.t, dir, command...)
		if h, err = on.replay(dir, calls); err == nil {
			err = h.isLike(dir)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return h, r
}

// What is cut in the simulations is a model. After each command it must be what the real tree is, inode numbers included.
func TestModel(t *testing.T) {
	needs(t, "strace")
	needsRoot(t)
	p := program{build(t), t.TempDir()}
	for _, sc := range scenarios() {
		if sc.crashes != nil || sc.failing.at != "" || strings.Contains(sc.name, "threads") {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			s := newSimulation(t, p, sc)
			if h, r := s.history(s.base, sc.command); r.code != 0 || len(h.steps) == 0 {
				t.Errorf("exit code %d, %d steps", r.code, len(h.steps))
			}
		})
	}
}
