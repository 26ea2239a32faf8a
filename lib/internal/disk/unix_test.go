//go:build linux

package disk_test

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
)

func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	for _, tt := range []struct {
		modes disk.Modes
		perm  fs.FileMode
		want  fs.FileMode
	}{
		{disk.Modes{Group: -1}, 0, 0o600},
		{disk.Modes{IsShared: true, Group: os.Getgid()}, 0, 0o660},
		{disk.Modes{IsShared: true, Group: -1}, 0o664, 0o640},
		{disk.Modes{Group: -1}, 0o644, 0o640},
	} {
		d := open(t, "")
		d.Modes = tt.modes
		must(t, d.Publish(stage(t, d, "", tt.perm), "staged"))
		must(t, d.Replace("fast", nil, tt.perm, false), d.Replace("durable", nil, tt.perm, true))
		names := []string{"staged", "fast", "durable", "kept"}
		put(t, d, "kept", "")
		must(t, os.Chmod(pathOf(d, "kept"), tt.want), d.Replace("kept", nil, 0o604, false))
		if tt.perm == 0 {
			log, err := d.OpenLog("log")
			must(t, err, log.Close())
			mustLock(t, d)()
			names = append(names, "log", "lock")
		}
		for _, name := range names {
			if info, err := d.Stat(name); err != nil || info.Mode() != tt.want {
				t.Errorf("%+v %v: %s has %v, %v", tt.modes, tt.perm, name, info.Mode(), err)
			}
		}
	}
}

func TestModesOf(t *testing.T) {
	closed, writable, set := t.TempDir(), t.TempDir(), t.TempDir()
	must(t, os.Chmod(closed, 0o755), os.Chmod(writable, 0o770), os.Chmod(set, fs.ModeSetgid|0o700))
	private, shared := disk.Modes{Group: -1}, disk.Modes{IsShared: true, Group: os.Getgid()}
	for _, tt := range []struct {
		paths []string
		want  disk.Modes
	}{
		{nil, private}, {[]string{closed, filepath.Join(closed, "none")}, private},
		{[]string{closed, writable}, shared},
		{[]string{set}, shared},
	} {
		if got := disk.ModesOf(tt.paths...); got != tt.want {
			t.Errorf("%v: %+v", tt.paths, got)
		}
	}
}

func TestMake(t *testing.T) {
	top := open(t, "")
	for path, tt := range map[string]struct {
		modes disk.Modes
		want  fs.FileMode
	}{
		"private/state": {disk.Modes{Group: -1}, fs.ModeDir | 0o700},
		"shared/state":  {disk.Modes{IsShared: true, Group: -1}, fs.ModeDir | fs.ModeSetgid | 0o770},
	} {
		for range 2 { // the second finds it
			d, err := disk.Make(pathOf(top, path), tt.modes)
			must(t, err, d.Close(), disk.SyncParents(d.Path(), top.Path()))
		}
		for _, name := range []string{path, filepath.Dir(path)} {
			if info, err := top.Stat(name); err != nil || info.Mode() != tt.want {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
	put(t, top, "file", "")
	must(t, os.Symlink("nowhere", pathOf(top, "link")), syscall.Mkfifo(pathOf(top, "fifo"), 0o600))
	for _, name := range []string{"file", "file/below", "link", "fifo"} {
		_, err := disk.Make(pathOf(top, name), disk.Modes{})
		wantClass(t, name, err, fault.ErrConfig)
	}
	_, err := disk.Open(pathOf(top, "none"))
	wantClass(t, "a missing directory", err, fs.ErrNotExist)
}

// A parent directory of the store may be one that cannot be synced, such as /proc.
func TestSyncParents(t *testing.T) {
	must(t, disk.SyncParents("/proc/self/fd", "/proc"))
	err := disk.SyncParents(filepath.Join(t.TempDir(), "none", "a"), "/")
	wantClass(t, "a directory that is not there", err, fs.ErrNotExist)
}

func TestOnlyPlainFiles(t *testing.T) {
	d := open(t, "")
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, d, "file", "text")
	must(t, os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, pathOf(d, "link")),
		os.Symlink("file", pathOf(d, "near")),
		syscall.Mkfifo(pathOf(d, "fifo"), 0o600), os.Mkdir(pathOf(d, "dir"), 0o700),
		os.Link(pathOf(d, "file"), pathOf(d, "second")))
	for _, name := range []string{"link", "near", "fifo", "dir"} {
		_, err := d.Open(name)
		wantClass(t, "Open "+name, err, fault.ErrIntegrity)
		_, err = d.OpenLog(name)
		wantClass(t, "OpenLog "+name, err, fault.ErrIntegrity)
		wantClass(t, "Replace "+name, d.Replace(name, nil, 0, true), fault.ErrIntegrity)
		wantClass(t, "SyncFile "+name, d.SyncFile(name), fault.ErrIntegrity)
		_, err = d.Lock(t.Context(), name, long)
		wantClass(t, "Lock "+name, err, fault.ErrConfig)
		d.Adjust(name)
	}
	text, err := os.ReadFile(outside)
	if info, _ := os.Stat(outside); string(text) != "secret" || err != nil || info.Mode() != 0o600 {
		t.Errorf("the file behind the link is now %q, %v", text, err)
	}
	for _, name := range []string{"../" + filepath.Base(d.Path()) + "/file", outside} {
		if _, err := d.Open(name); err == nil {
			t.Errorf("%s leads out", name)
		}
	}
	if text, err := d.Read("second", 4); string(text) != "text" || err != nil {
		t.Errorf("a file with two names: %q, %v", text, err)
	}
	_, err = d.Read("second", 3)
	wantClass(t, "a file over the limit", err, fault.ErrIntegrity)
	if err != nil && !strings.Contains(err.Error(), pathOf(d, "second")+" has 4 bytes") {
		t.Error(err)
	}
	_, err = d.Open("none")
	wantClass(t, "a missing file", err, fs.ErrNotExist)
	wantClass(t, "Publish to a link", d.Publish(stage(t, d, "", 0), "link"), fs.ErrExist)
	must(t, d.MoveTo(d, "link", "moved"))
}

func TestAdjust(t *testing.T) {
	d := open(t, "")
	put(t, d, "f", "")
	for _, modes := range []disk.Modes{{IsShared: true, Group: os.Getgid()}, {Group: -1}} {
		d.Modes = modes
		for range 2 {
			d.Adjust("f")
			d.Adjust(".")
			d.Adjust("none")
		}
		file, dir := fs.FileMode(0o600), fs.ModeDir|0o700
		if modes.IsShared {
			file, dir = 0o660, fs.ModeDir|fs.ModeSetgid|0o770
		}
		info, err := d.Stat("f")
		self, err2 := d.Stat(".")
		if must(t, err, err2); info.Mode() != file || self.Mode() != dir {
			t.Errorf("%+v: %v, %v", modes, info.Mode(), self.Mode())
		}
	}
}

// What root makes belongs to the owner of the directory and to the shared group. An existing file keeps its owner.
func TestRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	for _, modes := range []disk.Modes{{Group: -1}, {IsShared: true, Group: 777}} {
		d := open(t, "")
		d.Modes = modes
		must(t, os.Chown(d.Path(), 12345, 12345))
		group := 12345
		if modes.IsShared {
			group = 777
		}
		for name, verb := range map[string]func(name string) error{
			"published": func(name string) error { return d.Publish(stage(t, d, "", 0o644), name) },
			"replaced":  func(name string) error { return d.Replace(name, nil, 0, false) },
			"durable":   func(name string) error { return d.Replace(name, nil, 0, true) },
			"log":       func(name string) error { f, err := d.OpenLog(name); return errors.Join(err, f.Close()) },
			"lock":      func(string) error { mustLock(t, d)(); return nil },
			"a/b": func(name string) error {
				below, err := disk.Make(pathOf(d, name), modes)
				return errors.Join(err, below.Close())
			},
		} {
			must(t, verb(name))
			wantOwner(t, d, name, 12345, group)
			must(t, os.Chown(pathOf(d, name), 54321, group))
			if err := verb(name); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
			d.Adjust(name)
			wantOwner(t, d, name, 54321, group)
		}
	}
}

func wantOwner(t *testing.T, d *disk.Dir, name string, user, group int) {
	t.Helper()
	info, err := d.Stat(name)
	must(t, err)
	if s := info.Sys().(*syscall.Stat_t); int(s.Uid) != user || int(s.Gid) != group {
		t.Errorf("%s belongs to %d:%d, want %d:%d", name, s.Uid, s.Gid, user, group)
	}
}
