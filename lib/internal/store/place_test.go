package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A store may be where its owner may have one, after links are resolved.
func TestOpenPlace(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside := filepath.Join(real, "project"), filepath.Join(real, "outside")
	for _, dir := range []string{root + "/handoffs", root + "/elsewhere/deep", outside + "/deep"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in": root + "/elsewhere", "out": outside, "etc": "/etc"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, root, "file", "")
	s := at(root)
	s.Opt.Named = []string{outside, "/etc/handoffs"}
	for path, want := range map[string]string{
		root + "/handoffs": "",
		root + "/none":     "not there",
		root + "/in":       "cannot use",
		root + "/in/deep":  "",
		outside:            "",
		root + "/out":      "cannot use",
		root + "/out/deep": "leads out of the project",
		root + "/etc/deep": "a system directory",
		"/etc/handoffs":    "a system directory",
		"/proc/self/task":  "a system directory",
		real + "/other":    "was not named",
		root + "-besides":  "was not named",
		root + "/file":     "cannot use",
	} {
		d, err := s.OpenPlace(path)
		if d != nil {
			d.Close()
		}
		switch {
		case want == "", want == "not there":
			if err != nil || (d == nil) != (want == "not there") {
				t.Errorf("%s: %v, %v", path, d, err)
			}
		case !errors.Is(err, fault.ErrConfig) || !strings.Contains(err.Error(), want) || d != nil:
			t.Errorf("%s: %v, not %s", path, err, want)
		}
	}
	made, err := s.MakePlace(root+"/new", 0o700)
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
	if info, err := os.Stat(root + "/new"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made was %v, %v", info, err)
	}
}

func TestCheckPlaces(t *testing.T) {
	root := t.TempDir()
	s := at(root)
	if err := s.CheckPlaces(); err != nil {
		t.Errorf("nothing is there: %v", err)
	}
	put(t, root, "handoffs/notes", "")
	if err := s.CheckPlaces(); err != nil {
		t.Error(err)
	}
}

func TestReadPlain(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	put(t, root, "OPERATORS.md", "in")
	put(t, outside, "OPERATORS.md", "out")
	if err := os.Symlink(filepath.Join(outside, "OPERATORS.md"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	s := at(root)
	if text, err := s.ReadPlain(filepath.Join(root, "OPERATORS.md"), 10); string(text) != "in" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	for _, path := range []string{filepath.Join(root, "link"), filepath.Join(root, "away", "OPERATORS.md"), filepath.Join(outside, "OPERATORS.md")} {
		if text, err := s.ReadPlain(path, 10); err == nil {
			t.Errorf("%s is read: %q", path, text)
		}
	}
	if _, err := s.ReadPlain(filepath.Join(root, "OPERATORS.md"), 1); !errors.Is(err, disk.ErrTooLarge) {
		t.Errorf("more than may be read: %v", err)
	}
	s.Opt.Named = []string{filepath.Join(outside, "OPERATORS.md")}
	if text, err := s.ReadPlain(s.Opt.Named[0], 10); string(text) != "out" || err != nil {
		t.Errorf("named: %q, %v", text, err)
	}
}

func TestRelPath(t *testing.T) {
	for root, want := range map[string]string{"/p": "handoffs/f.md", "/p/handoffs": "f.md", "/other": "/p/handoffs/f.md", "/p/handoffs/deep": "/p/handoffs/f.md"} {
		s := &store.Store{Opt: store.Options{Root: root, Dir: "/p/handoffs"}}
		if got := s.RelPath("f.md"); got != want {
			t.Errorf("in %s it is %s, want %s", root, got, want)
		}
	}
}

// A user without access to a directory is told to get access, not to begin another store.
func TestDirectoryOfOthers(t *testing.T) {
	_, err := store.IfThere(nil, &fs.PathError{Op: "open", Path: "/x/.run", Err: syscall.EACCES})
	own := (*fault.Error)(nil)
	if !errors.As(err, &own) || !errors.Is(err, fault.ErrConfig) || !strings.HasPrefix(own.Advice, "get access to it") {
		t.Errorf("%v, %+v", err, own)
	}
}

// A path below a link is inside the target of the link, even if its last element does not exist.
func TestWithin(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	link := filepath.Join(other, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		dir: true, filepath.Join(dir, "new"): true, filepath.Join(dir, "a", "..", "b"): true, filepath.Join(link, "new"): true,
		dir + "-beside": false, filepath.Dir(dir): false, other: false, filepath.Join(dir, "..", "new"): false,
	} {
		if store.Within(dir, path) != want || store.Within(link, path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
