//go:build unix

package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/settings"
)

func TestLoadRefusesWhatIsNoRegularFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink("target.yaml", path) },
		"dangling link": func(path string) error { return os.Symlink("missing", path) },
		"fifo":          func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o755) },
		"link to null":  func(path string) error { return os.Symlink("/dev/null", path) },
	} {
		root := tree(t, "target.yaml")
		if err := make(filepath.Join(root, settings.Name)); err != nil {
			t.Fatal(err)
		}
		_, err := settings.Load(root, root, nothing)
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadReadsNoMoreThanItMay(t *testing.T) {
	root := tree(t, settings.Name)
	if err := os.Truncate(filepath.Join(root, settings.Name), 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := settings.Load(root, root, nothing); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
}

// What somebody else put above the place where somebody works is no project of his.
func TestFindRootPassesOverWhatIsForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, tt := range []struct {
		name          string
		files, given  []string
		start         string
		root, foreign string
		hasFile       bool
	}{
		{"file", []string{".handoff.yaml", "a/b/"}, []string{".handoff.yaml"}, "a/b", "a/b", ".handoff.yaml", false},
		{"directory of the file", []string{".handoff.yaml", "a/b/"}, []string{"."}, "a/b", "a/b", ".handoff.yaml", false},
		{"work tree", []string{".git/", "a/b/"}, []string{".git"}, "a/b", "a/b", ".git", false},
		{"the search ends there", []string{".handoff.yaml", "a/.handoff.yaml", "a/b/"}, []string{"a/.handoff.yaml"}, "a/b", "a/b", "a/.handoff.yaml", false},
		{"file in an own work tree", []string{".handoff.yaml", ".git/", "a/"}, []string{".handoff.yaml"}, "a", "", "", true},
		{"file here", []string{".handoff.yaml", "a/.handoff.yaml"}, []string{"a/.handoff.yaml"}, "a", "a", "", true},
	} {
		dir := tree(t, tt.files...)
		for _, name := range tt.given {
			if err := os.Chown(filepath.Join(dir, name), 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		got, err := settings.FindRoot(filepath.Join(dir, tt.start))
		foreign := ""
		if tt.foreign != "" {
			foreign = filepath.Join(dir, tt.foreign)
		}
		if err != nil || got.Root != filepath.Join(dir, tt.root) || got.Foreign != foreign || got.HasFile != tt.hasFile {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}
