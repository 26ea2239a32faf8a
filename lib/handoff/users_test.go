//go:build unix

package handoff_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// All users of a group use one store, and what they make belongs to the group.
func TestUsers(t *testing.T) {
	if root := os.Getenv("HANDOFF_TEST_ROOT"); root != "" { // as one of them
		s := open(t, root, func(o *handoff.Options) { o.UserState = os.Getenv("HANDOFF_TEST_STATE") })
		name := fmt.Sprint("by-", os.Geteuid())
		id := mustWrite(t, s, source(name, "")).ID
		do(t, s, "ben", "read", id)
		if _, err := s.MarkAllRead(t.Context(), "ben"); err != nil {
			t.Error(err)
		}
		isFine(t, s)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can be other users")
	}
	const group = 4321
	root := t.TempDir()
	err := errors.Join(os.Chmod(filepath.Dir(root), 0o755), os.Chown(root, 5000, group), os.Chmod(root, 0o775))
	if err != nil {
		t.Fatal(err)
	}
	users := []uint32{5001, 5002, 0, 5001}
	for _, user := range users {
		home := t.TempDir()
		if err := os.Chown(home, int(user), group); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("/proc/self/exe", "-test.run=^TestUsers$")
		c.Dir = "/"
		c.Env = []string{"HANDOFF_TEST_ROOT=" + root, "HANDOFF_TEST_STATE=" + filepath.Join(home, "state")}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: group}}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("user %d: %v\n%s", user, err, out)
		}
		info, err := os.Stat(filepath.Join(home, "state"))
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != user || info.Mode().Perm() != 0o700 {
			t.Errorf("the state of %d is %v, %v", user, info, err)
		}
	}
	for name, mode := range map[string]os.FileMode{".run": os.ModeDir | os.ModeSetgid | 0o770,
		"handoffs": os.ModeDir | os.ModeSetgid | 0o775, "handoffs/.INDEX.md.lock": 0o660,
		".run/handoff-events.jsonl": 0o660, ".run/machine-fingerprint": 0o660} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil || info.Mode() != mode || info.Sys().(*syscall.Stat_t).Gid != group {
			t.Errorf("%s is %v of %+v, %v; want %v", name, info.Mode(), info.Sys(), err, mode)
		}
	}
	s := open(t, root, nil)
	if got := topics(t, s, handoff.Filter{}); !slices.Equal(got, []string{"by-5001", "by-5002", "by-0"}) {
		t.Errorf("%v", got)
	}
	isFine(t, s)
}
