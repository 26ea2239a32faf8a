package store_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A process that cannot open more files does not take the numbers and names that are known outside of the project for
// unknown: a new journal would begin with 1 again, and a change would be made in another name.
func TestOutsideWithoutDescriptors(t *testing.T) {
	s := store.Store{Opt: store.Options{Dir: t.TempDir(), StateDir: t.TempDir(), UserState: t.TempDir()}}
	s.SetNewest(3)
	if err := s.SetOperator("ann"); err != nil {
		t.Fatal(err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	n, newestErr := s.Newest()
	name, nameErr := s.Operator()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(newestErr, unix.EMFILE) || !errors.Is(nameErr, unix.EMFILE) {
		t.Errorf("without descriptors: %d, %v and %q, %v, not EMFILE", n, newestErr, name, nameErr)
	}
	n, newestErr = s.Newest()
	if name, nameErr = s.Operator(); n != 3 || name != "ann" || newestErr != nil || nameErr != nil {
		t.Errorf("afterwards: %d, %v and %q, %v", n, newestErr, name, nameErr)
	}
}
