//go:build linux

package handoff_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// exchange exchanges two names again and again, until the function that it returns is called.
func exchange(t *testing.T, a, b string) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	return func() { close(done); loop.Wait() }
}

// In the tree of somebody else root writes nothing outside, and gives nothing away, while the owner exchanges a
// directory on the way for a symbolic link.
func TestRootInARacingTree(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can write in the tree of somebody else")
	}
	base := t.TempDir()
	root, victim := filepath.Join(base, "theirs"), filepath.Join(base, "victim")
	sub, link := filepath.Join(root, "sub"), filepath.Join(root, "link")
	if err := errors.Join(os.MkdirAll(sub, 0o755), os.Mkdir(victim, 0o755), os.Chown(root, 12345, 12345), os.Chown(sub, 12345, 12345), os.Symlink(victim, link)); err != nil {
		t.Fatal(err)
	}
	defer exchange(t, sub, link)()
	for n := range 200 {
		s := open(t, root, func(o *handoff.Options) {
			o.Dir, o.StateDir = filepath.Join(sub, "handoffs"), filepath.Join(sub, ".run")
		})
		if n%2 == 0 {
			_, _ = s.Maintenance().Init("") // it is made or refused
		} else {
			_, _ = s.Write(t.Context(), source("one", "body"))
		}
		there, err := os.ReadDir(victim)
		info, serr := os.Stat(victim)
		if err != nil || serr != nil || len(there) > 0 || info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Fatalf("run %d: outside are %v, %v, and its owner is that of %v, %v", n, there, err, info.Sys(), serr)
		}
		if n%4 == 3 { // so that some runs make the directories, and others use them
			for _, dir := range []string{sub, link} {
				if info, err := os.Lstat(dir); err == nil && info.IsDir() {
					os.RemoveAll(filepath.Join(dir, "handoffs"))
					os.RemoveAll(filepath.Join(dir, ".run"))
				}
			}
		}
	}
}
