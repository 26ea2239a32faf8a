//go:build linux

package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

func open(t *testing.T) *disk.Dir {
	t.Helper()
	d, err := disk.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func names(t *testing.T, d *disk.Dir) string {
	t.Helper()
	all, err := d.Names(func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestStage(t *testing.T) {
	d := open(t)
	s, err := d.Stage([]byte("content"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if half, err := d.BeginStage([]byte("half"), 0o644); err != nil {
		t.Fatal(err)
	} else if err := half.Publish("half"); err == nil {
		t.Error("published without a sync")
	} else {
		half.Discard()
	}
	if !strings.HasPrefix(names(t, d), disk.TempPrefix) {
		t.Errorf("staged as %q", names(t, d))
	}
	if removed, err := d.RemoveStaged(func(string) bool { return true }); err != nil || len(removed) > 0 {
		t.Errorf("a file that is new was removed: %v, %v", removed, err)
	}
	if err := s.Publish("a"); err != nil {
		t.Fatal(err)
	}
	if second, err := d.Stage([]byte("other"), 0o644); err != nil {
		t.Fatal(err)
	} else if err := second.Publish("a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("publishing over a name: %v", err)
	} else {
		second.Discard()
	}
	s.Discard()
	if text, err := d.ReadFile("a", 100); string(text) != "content" || err != nil || names(t, d) != "a" {
		t.Errorf("published %q, %v; directory %q", text, err, names(t, d))
	}
}

func TestRemoveStaged(t *testing.T) {
	d := open(t)
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".tmp-0123456789abcdef01234567", ".INDEX.md123", ".tmp-thoughts.md", ".tmp-0123", ".plan.md2", ".todo.jsonl1", ".INDEX.md",
		"2026-05-07-a-b-t.md", ".INDEX.md.lock", "INDEX.md", "INDEX.md1", ".intent", ".notes.md"} {
		path := filepath.Join(d.Path(), name)
		if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := d.RemoveStaged(func(name string) bool { return name == "INDEX.md" })
	if slices.Sort(removed); err != nil || !slices.Equal(removed, []string{".INDEX.md123", ".tmp-0123456789abcdef01234567"}) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestUnsafeEntries(t *testing.T) {
	d := open(t)
	path := func(name string) string { return filepath.Join(d.Path(), name) }
	outside := filepath.Join(t.TempDir(), "outside")
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, path("link")), syscall.Mkfifo(path("fifo"), 0o600),
		os.Mkdir(path("dir"), 0o700), os.WriteFile(path("file"), nil, 0o600), os.Link(path("file"), path("second")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "fifo", "dir"} {
		if _, err := d.Open(name); !errors.Is(err, disk.ErrUnsafe) {
			t.Errorf("Open(%s): %v", name, err)
		}
		if _, err := d.OpenLog(name); !errors.Is(err, disk.ErrUnsafe) {
			t.Errorf("OpenLog(%s): %v", name, err)
		}
		if err := d.Replace(name, []byte("x"), 0o600); !errors.Is(err, disk.ErrUnsafe) {
			t.Errorf("Replace(%s): %v", name, err)
		}
	}
	if _, err := d.Open("second"); err != nil {
		t.Errorf("Open of a file with two names: %v", err)
	}
	if text, _ := os.ReadFile(outside); string(text) != "secret" {
		t.Errorf("the file behind the link is now %q", text)
	}
	if _, err := disk.OpenDir(path("link")); !errors.Is(err, disk.ErrUnsafe) {
		t.Errorf("OpenDir of a link: %v", err)
	}
}

func TestReplaceKeepsTheMode(t *testing.T) {
	d := open(t)
	path := filepath.Join(d.Path(), "INDEX.md")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := d.Replace("INDEX.md", []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || names(t, d) != "INDEX.md" {
		t.Errorf("mode %v, %v; directory %q", info.Mode(), err, names(t, d))
	}
}

// PutAt writes only the bytes that differ.
func TestLogPutAt(t *testing.T) {
	d := open(t)
	log, err := d.OpenLog("log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, put := range []struct {
		text   string
		offset int64
		want   string
	}{{"one\n", 0, "one\n"}, {"two\n", 4, "one\ntwo\n"}, {"two\n", 4, "one\ntwo\n"}, {"tWo\nthree\n", 4, "one\ntWo\nthree\n"}, {"one\n", 0, "one\ntWo\nthree\n"}} {
		if err := log.PutAt([]byte(put.text), put.offset); err != nil {
			t.Fatal(err)
		}
		if text, _ := d.ReadFile("log", 100); string(text) != put.want {
			t.Errorf("the log is %q, want %q", text, put.want)
		}
	}
	if err := log.Reserve(1 << 16); err != nil {
		t.Error(err)
	}
	if info, _ := log.Stat(); info.Size() != 14 {
		t.Errorf("reserving made the log %d bytes", info.Size())
	}
}

// Waiting for the lock of a directory ends with the context.
func TestLockEndsWithItsContext(t *testing.T) {
	d := open(t)
	other, err := disk.OpenDir(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Lock(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := d.Lock(t.Context(), 0); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("a lock that is held: %v", err)
	}
	cause := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := d.Lock(ctx, time.Hour); !errors.Is(err, cause) {
		t.Errorf("the context is done: %v", err)
	}
	other.Unlock()
	if err := d.Lock(t.Context(), 0); err != nil {
		t.Errorf("a lock that is free: %v", err)
	}
}

func TestReadAllLimit(t *testing.T) {
	d := open(t)
	if err := os.WriteFile(filepath.Join(d.Path(), "f"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := d.ReadFile("f", 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := d.ReadFile("f", 4); err == nil {
		t.Error("a file over the limit was read")
	}
}

// A file that root creates belongs to the owner of the directory. An existing file keeps its owner.
func TestRootGivesToTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	d := open(t)
	if err := os.Chown(d.Path(), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	make := map[string]func(name string) error{
		"published": func(name string) error {
			s, err := d.Stage([]byte("content"), 0o600)
			if err != nil {
				return err
			}
			defer s.Discard()
			return s.Publish(name)
		},
		"replaced": func(name string) error { return d.Replace(name, []byte("content"), 0o600) },
		"touched":  func(name string) error { return d.Touch(name, 0o600) },
		"log": func(name string) error {
			log, err := d.OpenLog(name)
			if err != nil {
				return err
			}
			return log.Close()
		},
		"outer/inner": func(name string) error {
			made, err := disk.MakeDir(filepath.Join(d.Path(), name), 0o700)
			if err != nil {
				return err
			}
			return made.Close()
		},
	}
	for name, verb := range make {
		path := filepath.Join(d.Path(), name)
		owner := func() uint32 {
			if err := verb(name); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatalf("%s: %v", name, err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return info.Sys().(*syscall.Stat_t).Uid
		}
		if got := owner(); got != 12345 {
			t.Errorf("%s: made, it belongs to %d", name, got)
		}
		if err := os.Chown(path, 54321, 54321); err != nil {
			t.Fatal(err)
		}
		if got := owner(); got != 54321 {
			t.Errorf("%s: there already, it belongs to %d now", name, got)
		}
	}
}

// A parent directory of the store may be one that cannot be synced, such as /proc.
func TestSyncParentsThatCannotBeSynced(t *testing.T) {
	if err := disk.SyncParents("/proc", "/proc/self"); err != nil {
		t.Error(err)
	}
	if err := disk.SyncParents("/", filepath.Join(t.TempDir(), "none", "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}
