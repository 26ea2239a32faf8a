package handoff_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// isOlder reports whether an error says that the state directory is older than what the user has written.
func isOlder(err error) bool {
	return errors.Is(err, handoff.ErrIntegrity) && strings.Contains(err.Error(), "is older than your last change")
}

// olderStore is a store whose files, of an older version, were put back after two
// was written.
func olderStore(t *testing.T, edit func(*handoff.Options)) (root string, s *handoff.Store, older, newer map[string][]byte) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "root")
	s = open(t, root, edit)
	mustWrite(t, s, source("one", "body"))
	older = contents(t, root)
	mustWrite(t, s, source("two", "body"))
	newer = contents(t, root)
	restore(t, root, older)
	return root, s, older, newer
}

// An older version of all that is in the project verifies as it did then. What writes refuses it all the same, and so
// does a repair, until somebody says that the store goes on from it, or brings back the newest.
func TestOlderState(t *testing.T) {
	t.Parallel()
	var warnings []string
	warn := func(text string) { warnings = append(warnings, text) }
	root, s, older, newer := olderStore(t, func(o *handoff.Options) { o.Warn = warn })
	_, err := s.Write(t.Context(), source("three", "body"))
	hint := (interface{ Hint() string })(nil)
	if !isOlder(err) || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "machine-fingerprint regenerate") {
		t.Errorf("a write: %v", err)
	}
	if _, err := s.Maintenance().Repair(t.Context()); !isOlder(err) {
		t.Errorf("a repair: %v", err)
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil || len(entries) != 1 || len(warnings) == 0 || !strings.HasSuffix(warnings[0], "; run `handoff doctor`") {
		t.Errorf("a reader is shown %v, %v, %q", entries, err, warnings)
	}
	report, err := s.Verify(t.Context())
	if err != nil || len(report.Faults) != 1 || !strings.Contains(report.Faults[0].Remedy, "machine-fingerprint regenerate") {
		t.Errorf("verify finds %+v, %v", report.Faults, err)
	}

	restore(t, root, newer)
	state := map[string][]byte{}
	for path, text := range older {
		if strings.Contains(path, ".run") {
			state[path] = text
		}
	}
	for path, text := range state { // beside INDEX.md as it is now
		mustPut(t, path, text)
	}
	report, err = s.Verify(t.Context())
	if err != nil || len(report.Faults) < 2 {
		t.Errorf("verify finds %+v, %v", report.Faults, err)
	}
	for _, f := range report.Faults {
		if strings.HasPrefix(f.Remedy, "handoff doctor --") {
			t.Errorf("%s: %s: the remedy is refused: %s", f.Place, f.Problem, f.Remedy)
		}
	}

	restore(t, root, newer)
	mustWrite(t, s, source("three", "body"))
	newest := contents(t, root)

	restore(t, root, older)
	if _, err := s.Maintenance().Regenerate(t.Context(), "ann", "the disk broke"); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, source("four", "body"))
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || len(report.Warnings) != 0 || report.Handoffs != 2 {
		t.Errorf("after a regenerate: %+v, %v", report, err)
	}
	for name, files := range map[string]map[string][]byte{"the oldest": older, "the newest before that": newest} {
		restore(t, root, files)
		if _, err := s.Write(t.Context(), source("five", "body")); !isOlder(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The number of the newest change is not synced. What a power cut leaves of it, or what cannot be read or written,
// never refuses an honest store.
func TestNewestAfterAPowerCut(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(path string) error{
		"gone":           os.Remove,
		"directory gone": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"empty":          func(path string) error { return os.Truncate(path, 0) },
		"zeros":          func(path string) error { return os.WriteFile(path, make([]byte, 42), 0o600) },
		"half":           func(path string) error { return os.Truncate(path, 21) },
		"torn": func(path string) error {
			return os.WriteFile(path, []byte("00000000000000000999 00000000000000000001\n"), 0o600)
		},
		"torn at its end": func(path string) error {
			return os.WriteFile(path, []byte("00000000000000000001 00000000000000000999\n"), 0o600)
		},
		"a directory": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		},
		"not writable": func(path string) error { return os.Chmod(filepath.Dir(path), 0o500) },
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			s := open(t, root, nil)
			mustWrite(t, s, source("one", "body"))
			path, err := handoff.OutsidePath(s)
			if err == nil {
				err = cut(filepath.Join(path, "newest"))
			}
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, s, source("two", "body"))
			mustWrite(t, s, source("three", "body"))
			if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || report.Handoffs != 3 {
				t.Errorf("%+v, %v", report, err)
			}
			_ = os.Chmod(path, 0o700)
		})
	}
}

// A store that begins again in the same place, since its state directory or all of it was removed, is not older; what
// was there before is.
func TestStoreThatBeginsAgain(t *testing.T) {
	t.Parallel()
	root, s, older, _ := olderStore(t, nil)
	for _, dir := range []string{"handoffs", ".run"} {
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, s, source("three", "body"))
	mustWrite(t, s, source("four", "body"))
	if report, err := s.Verify(t.Context()); err != nil || report.Err() != nil || report.Handoffs != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	restore(t, root, older)
	if _, err := s.Write(t.Context(), source("five", "body")); !isOlder(err) {
		t.Errorf("what was there before: %v", err)
	}
	if err := os.Remove(filepath.Join(root, ".run", "journal")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, source("six", "body"))
}

// What this user wrote since the older version was kept is not taken for what came from other clones.
func TestOlderStateIsNotFromOthers(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	s := open(t, root, func(o *handoff.Options) { o.Git = handoff.GitTracked })
	mustWrite(t, s, source("one", "body"))
	older := contents(t, filepath.Join(root, ".run"))
	mustWrite(t, s, source("two", "body"))
	restore(t, filepath.Join(root, ".run"), older)
	report, err := s.Verify(t.Context())
	if err != nil || report.Err() == nil || report.Handoffs != 2 || report.Others != 0 {
		t.Errorf("verify finds %+v, %v", report, err)
	}
	forgetNewest(t, s)
	if report, err := s.Verify(t.Context()); err != nil || report.Others != 1 {
		t.Errorf("without that: %+v, %v", report, err)
	}
}
