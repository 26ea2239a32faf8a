package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteFile(t *testing.T) {
	root := t.TempDir()
	for range 2 { // the same file a second time
		if err := writeFile(root, "x/handoffs", "a.json", []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeFile(root, "x/handoffs", "a.json", []byte("[]\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another content: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(root, "x/handoffs/a.json"))
	if err != nil || string(got) != "{}\n" {
		t.Errorf("a.json is %q: %v", got, err)
	}
	if err := writeFile(root, "x/handoffs/a.json", "b.json", nil); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("a file in place of the directory: %v", err)
	}
}

func TestWriteFileStaysInRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "dir")); err != nil {
		t.Fatal(err)
	}
	for _, place := range [][2]string{{"dir", "a"}, {"../outside", "a"}, {".", "../a"}, {".", "/a"}} {
		if err := writeFile(root, place[0], place[1], nil); err == nil && place[1] != "/a" {
			t.Errorf("%v: written", place)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("%v written outside: %v", entries, err)
	}
}
