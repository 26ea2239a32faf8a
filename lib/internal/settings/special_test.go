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
		"fifo":         func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"directory":    func(path string) error { return os.Mkdir(path, 0o755) },
		"link to null": func(path string) error { return os.Symlink("/dev/null", path) },
	} {
		root := tree(t, "target.yaml")
		if err := make(filepath.Join(root, settings.Name)); err != nil {
			t.Fatal(err)
		}
		_, err := settings.Load(root, root, root, nothing)
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
	if _, err := settings.Load(root, root, root, nothing); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
}
