//go:build linux

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// bothWays runs a test with openat2 and with the portable walk.
func bothWays(t *testing.T, test func(*testing.T)) {
	for name, walk := range map[string]bool{"openat2": false, "walk": true} {
		disk.Walk(walk)
		t.Run(name, test)
	}
	disk.Walk(false)
}

func TestOpenDir(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		base := t.TempDir()
		path := func(name string) string { return filepath.Join(base, name) }
		if err := errors.Join(os.MkdirAll(path("a/b"), 0o755), os.WriteFile(path("file"), nil, 0o600),
			os.Symlink("a", path("link")), os.Symlink("b", path("a/last")), os.Symlink("none", path("dangling"))); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]error{
			".": nil, "a": nil, "a/b": nil, "a//b/../b/": nil, "none": fs.ErrNotExist, "a/none/b": fs.ErrNotExist,
			"link/b": disk.ErrUnsafe, "a/last": disk.ErrUnsafe, "dangling": disk.ErrUnsafe, "file": disk.ErrUnsafe, "file/a": disk.ErrUnsafe,
		} {
			d, err := disk.OpenDir(base + "/" + name)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
			if err == nil {
				info, err := d.Stat()
				if there, lerr := os.Stat(path(name)); err != nil || lerr != nil || !os.SameFile(info, there) {
					t.Errorf("%s: another directory was opened: %v, %v", name, err, lerr)
				}
				d.Close()
			}
		}
		for _, name := range []string{"/", "."} {
			d, err := disk.OpenDir(name)
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
		}
	})
}

// A user who may search a directory but not read it can use its entries.
func TestOpenDirThroughOneThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read every directory")
	}
	bothWays(t, func(t *testing.T) {
		base := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(base, "a", "b"), 0o755), os.Chmod(filepath.Join(base, "a"), 0o100)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(base, "a"), 0o700) })
		d, err := disk.OpenDir(filepath.Join(base, "a", "b"))
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
	})
}

func TestMakeDir(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		base := t.TempDir()
		path := func(name string) string { return filepath.Join(base, name) }
		if err := errors.Join(os.WriteFile(path("file"), nil, 0o600), os.Mkdir(path("elsewhere"), 0o755), os.Symlink("elsewhere", path("link"))); err != nil {
			t.Fatal(err)
		}
		for range 2 { // what is there is opened
			d, err := disk.MakeDir(path("a/b"), 0o700)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path("a/b")); err != nil || info.Mode().Perm() != 0o700 || d.Path() != path("a/b") {
				t.Errorf("made %v, %v at %s", info, err, d.Path())
			}
			d.Close()
		}
		for _, name := range []string{"file", "link", "link/a", "file/a"} {
			if _, err := disk.MakeDir(path(name), 0o755); !errors.Is(err, disk.ErrUnsafe) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if left, err := os.ReadDir(path("elsewhere")); err != nil || len(left) > 0 {
			t.Errorf("made behind a symbolic link: %v, %v", left, err)
		}
	})
}
