package record_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/record"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if err := os.WriteFile(path, []byte("one"), 0o640); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct{ old, content, backup string }{{"one", "two", "a.json.orig"}, {"two", "three", "a.json.orig-2"}} {
		backup, err := record.Replace(path, []byte(step.old), []byte(step.content))
		if err != nil || backup != filepath.Join(dir, step.backup) {
			t.Fatalf("step %d: %q, %v", i, backup, err)
		}
		for name, want := range map[string]string{path: step.content, backup: step.old} {
			if got, err := os.ReadFile(name); err != nil || string(got) != want {
				t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
			}
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestReplaceRefuses holds that a file which is not what the caller thinks stays as it is, without a backup.
func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(path, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.json", link); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Replace(path, []byte("as it was read"), []byte("x")); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("changed meanwhile: %v", err)
	}
	if _, err := record.Replace(link, []byte("changed"), []byte("x")); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a link: %v", err)
	}
	if _, err := record.Replace(filepath.Join(dir, "none.json"), nil, []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if got, readErr := os.ReadFile(path); err != nil || readErr != nil || string(got) != "changed" || len(entries) != 2 {
		t.Errorf("%q, %d entries, %v, %v", got, len(entries), err, readErr)
	}
}
