package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// open opens a directory; "" is a new one.
func open(t testing.TB, path string) *disk.Dir {
	t.Helper()
	if path == "" {
		path = t.TempDir()
	}
	d, err := disk.Open(path)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func pathOf(d *disk.Dir, name string) string { return filepath.Join(d.Path(), name) }

func put(t testing.TB, d *disk.Dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(pathOf(d, name), []byte(text), 0o600))
}

func stage(t testing.TB, d *disk.Dir, text string, perm fs.FileMode) string {
	t.Helper()
	temp, err := d.Stage([]byte(text), perm)
	must(t, err)
	return temp
}

// content returns each name in d with its text.
func content(t testing.TB, d *disk.Dir) string {
	t.Helper()
	names, err := d.Names(func(string) bool { return true })
	must(t, err)
	for i, name := range names {
		if text, err := d.Read(name, 100); err == nil {
			names[i] += "=" + string(text)
		}
	}
	return strings.Join(names, " ")
}

func wantContent(t testing.TB, d *disk.Dir, want string) {
	t.Helper()
	if got := content(t, d); got != want {
		t.Errorf("the directory has %q, want %q", got, want)
	}
}

func wantClass(t testing.TB, what string, err, class error) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Errorf("%s: %v, want %v", what, err, class)
	}
	if hint, ok := errors.AsType[*fault.Error](err); ok && hint.Advice == "" {
		t.Errorf("%s: %v has no hint", what, err)
	}
}

func TestStageAndPublish(t *testing.T) {
	d := open(t, "")
	temp := stage(t, d, "first", 0o644)
	if !disk.IsTemp(temp) {
		t.Errorf("staged as %s", temp)
	}
	must(t, d.Publish(temp, "a"))
	other := stage(t, d, "second", 0o644)
	wantClass(t, "a name that exists", d.Publish(other, "a"), fs.ErrExist)
	wantContent(t, d, other+"=second a=first")
	must(t, d.Remove(other), d.Remove(other), d.SyncFile("a"), d.Sync())
	wantContent(t, d, "a=first")
	wantClass(t, "a lost file", d.Publish(other, "b"), fs.ErrNotExist)
}

func TestReplace(t *testing.T) {
	for _, isDurable := range []bool{false, true} {
		d := open(t, "")
		must(t, d.Replace("f", []byte("old"), 0o644, isDurable), d.Replace("f", []byte("new"), 0o600, isDurable))
		wantContent(t, d, "f=new")
	}
}

func TestOpenLog(t *testing.T) {
	d := open(t, "")
	for _, text := range []string{"one", "two"} {
		f, err := d.OpenLog("log")
		must(t, err)
		_, err = f.WriteAt([]byte(text), 0)
		must(t, err, f.Close())
		wantContent(t, d, "log="+text)
	}
}

func TestMoveTo(t *testing.T) {
	from, to := open(t, ""), open(t, "")
	others := []*disk.Dir{to}
	if path, err := os.MkdirTemp("/dev/shm", ""); err == nil { // another file system
		t.Cleanup(func() { os.RemoveAll(path) })
		others = append(others, open(t, path))
	}
	for _, other := range others {
		for _, name := range []string{"one", "two"} {
			put(t, from, "f", name)
			must(t, from.MoveTo(other, "f", name))
		}
		wantContent(t, other, "one=one two=two")
		wantContent(t, from, "")
		if err := from.MoveTo(other, "f", "three"); err == nil {
			t.Error("a missing file was moved")
		}
		put(t, from, "f", "three")
		must(t, from.CopyTo(other, "f", "three"), from.Replace("f", []byte("new"), 0, true))
		wantContent(t, other, "one=one three=three two=two")
		must(t, from.Remove("f"))
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		".tmp-0123456789abcdef01234567": true, ".INDEX.md123": true, ".INDEX-0001.md1": true,
		".machine-fingerprint7": true, ".tmp-thoughts.md": false, ".tmp-0123": false, ".plan.md2": false,
		".INDEX.md": false, ".INDEX.md.lock": false, "INDEX.md1": false, "INDEX.md": false,
		"2026-05-07-a-b-t.md": false,
	} {
		if disk.IsTemp(name) != want {
			t.Errorf("IsTemp(%s) is %v", name, !want)
		}
	}
	for name, want := range map[string]int{disk.Archive(1): 1, disk.Archive(1e5): 1e5, "INDEX-1.md": 0, "INDEX.md": 0} {
		if got := disk.ArchiveNumber(name); got != want {
			t.Errorf("ArchiveNumber(%s) is %d", name, got)
		}
	}
	if name := disk.SignatureFile("sha256:" + digest); name != digest+".sig" {
		t.Error(name)
	}
}
