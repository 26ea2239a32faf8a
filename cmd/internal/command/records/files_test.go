package records

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/universal"
)

func TestWriteFiles(t *testing.T) {
	root := t.TempDir()
	one := universal.File{Name: "a.json", Bytes: []byte("{}\n")}
	if err := writeFiles(root, "x/handoffs", one); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(root, "x/handoffs", one); err != nil {
		t.Errorf("the same file a second time: %v", err)
	}
	changed := universal.File{Name: "a.json", Bytes: []byte("[]\n")}
	if err := writeFiles(root, "x/handoffs", universal.File{Name: "b.json"}, changed); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another content: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(root, "x/handoffs/a.json"))
	if err != nil || string(got) != "{}\n" {
		t.Errorf("a.json is %q: %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "x/handoffs/b.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("b.json was left behind: %v", err)
	}
}

// A file in the place of the directory is no file that exists already: whoever writes goes elsewhere.
func TestFileInPlaceOfDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "handoffs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(root, "handoffs", universal.File{Name: "a.json"}); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
}

func TestWriteFilesRefusesNames(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"", ".", "..", "../a", "a/b", "/a", `a\b`, `..\a`, "C:a", "a/../b"} {
		if err := writeFiles(filepath.Join(root), ".", universal.File{Name: name}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("%v written: %v", entries, err)
	}
	if err := writeFiles(root, "../outside", universal.File{Name: "a"}); err == nil {
		t.Error("a directory outside the root is written to")
	}
}

func TestWriteFilesFollowsNoLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	root, outside := t.TempDir(), t.TempDir()
	for link, target := range map[string]string{"dir": outside, "a.json": filepath.Join(outside, "a.json")} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	one := universal.File{Name: "a.json", Bytes: []byte("{}")}
	for _, dir := range []string{"dir", "."} {
		if err := writeFiles(root, dir, one); err == nil {
			t.Errorf("%s: written through a link", dir)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("%v written outside: %v", entries, err)
	}
}
