//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A draftStore is a project in which ann keeps a draft, and the program.
type draftStore struct {
	*testing.T
	program, root string
}

// run returns what a command prints and what it complains of.
func (s draftStore) run(args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.root
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	return string(out), complaint.String(), err
}

func (s draftStore) must(args ...string) string {
	s.Helper()
	out, complaint, err := s.run(args...)
	if err != nil || strings.Contains(complaint, "not what was saved") {
		s.Fatalf("%v: %v\n%s", args, err, complaint)
	}
	return out
}

// killed runs a command that is killed at its n-th call of a system call, and reports whether it got there.
func (s draftStore) killed(call string, n int, args ...string) bool {
	s.Helper()
	trace := []string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), s.program}
	cmd := exec.Command("strace", append(trace, args...)...)
	cmd.Dir = s.root
	return cmd.Run() != nil
}

func newDraftStore(t *testing.T) (s draftStore, notes string) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("needs strace")
	}
	s = draftStore{t, filepath.Join(released.in(t), "handoff"), filepath.Join(t.TempDir(), "project")}
	notes = filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(notes, []byte("Half done.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, notes
}

// A draft that is there already may be one whose directory was never synced.
func TestDraftIsSyncedAgain(t *testing.T) {
	t.Parallel()
	s, notes := newDraftStore(t)
	if err := os.Mkdir(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.must("draft", "save", notes, "--root", s.root)
	if !s.killed("fsync", 1, "draft", "save", notes, "--root", s.root) {
		t.Error("nothing was synced")
	}
}

// A session may die at any moment: what it wanted to hand over is a draft or a handoff, and in the end it
// is one handoff and no draft.
func TestDraftSurvivesEveryKill(t *testing.T) {
	t.Parallel()
	calls, least := []string{"linkat", "unlinkat"}, 2
	if os.Getenv("HANDOFF_FAULTS") == "all" { // kills the program some hundred times
		calls, least = []string{"openat", "mkdirat", "fsync", "linkat", "renameat", "unlinkat", "write", "pwrite64", "flock"}, 20
	}
	s, notes := newDraftStore(t)
	kills := 0
	for _, call := range calls {
		for n := 1; ; n++ {
			if err := os.RemoveAll(s.root); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(s.root, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.root, ".handoff.yaml"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			saving := s.killed(call, n, "draft", "save", "--from", "ann", "--to", "ben", "--topic", "deploy", notes)
			s.must("draft", "list")
			id := s.must("draft", "save", "--from", "ann", "--to", "ben", "--topic", "deploy", notes)[len(`{"draft_id":"`):][:16]
			publishing := s.killed(call, n, "draft", "publish", id)
			drafts := strings.Count(s.must("draft", "list", "--json"), "\n")
			handoffs := strings.Count(s.must("list", "--quiet", "--format", "ids"), "\n")
			if drafts+handoffs == 0 {
				t.Fatalf("killed at %s %d, and nothing is left", call, n)
			}
			if drafts > 0 {
				s.must("draft", "publish", id)
			}
			if left := s.must("draft", "list", "--json") + s.must("list", "--quiet", "--format", "ids"); strings.Count(left, "\n") != 1 {
				t.Fatalf("killed at %s %d; in the end there is\n%s", call, n, left)
			}
			s.must("verify", "--quiet")
			if !saving && !publishing {
				break
			}
			kills++
		}
	}
	if kills < least {
		t.Errorf("the program was killed %d times", kills)
	}
}
