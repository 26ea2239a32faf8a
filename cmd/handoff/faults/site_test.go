//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A site is the directory in which a project and the home of its user lie, and what else a command of it may need. All copies
// of one lie at the same path, since the key with which the program authenticates what it writes follows from that. Who may
// mount has each copy in a name space of its own, so that many are tried at once; else one is tried after the other.
const project = "project"

var (
	oneSite  sync.Mutex
	mayMount = sync.OnceValue(func() bool {
		if os.Geteuid() != 0 {
			return false
		}
		may := false
		ownThread(func() { may = separate("") == nil })
		return may
	})
)

// ownThread does something on a thread that ends with it, and reports whether it came to its end.
func ownThread(do func()) (ended bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never given back
		do()
		ended = true
	}()
	<-done
	return ended
}

var loopMount = regexp.MustCompile(`(?m)^(?:\S+ ){4}(\S+) .* - \S+ /dev/loop`)

// separate gives this thread, and what it starts, mounts of its own. Disks of other tests are not among them: who gives
// theirs back finds nobody who uses it.
func separate(disk string) error {
	err := errors.Join(unix.Unshare(unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	mounts, readErr := os.ReadFile("/proc/thread-self/mountinfo")
	for _, m := range loopMount.FindAllStringSubmatch(string(mounts), -1) {
		if m[1] != disk {
			_ = unix.Unmount(m[1], unix.MNT_DETACH) // who has given it back meanwhile has done that
		}
	}
	return errors.Join(err, readErr)
}

// apart does something with an empty site, which nobody else sees. It must not end the test.
func (p program) apart(do func(site string)) error {
	site := filepath.Join(p.tmp, "site")
	if err := os.MkdirAll(site, 0o755); err != nil {
		return err
	}
	if !mayMount() {
		oneSite.Lock()
		defer oneSite.Unlock()
		defer clearSite(site)
		return errors.Join(clearSite(site), os.Mkdir(filepath.Join(site, project), 0o755), unless(ownThread(func() { do(site) })))
	}
	var err error
	ended := ownThread(func() {
		if err = separate(""); err == nil {
			err = unix.Mount("handoff-faults", site, "tmpfs", 0, "mode=755")
		}
		if err == nil {
			err = os.Mkdir(filepath.Join(site, project), 0o755)
		}
		if err == nil {
			do(site)
		}
	})
	return errors.Join(err, unless(ended))
}

func unless(ended bool) error {
	if ended {
		return nil
	}
	return errors.New("what was done in a site came to no end")
}

func clearSite(site string) error {
	entries, err := os.ReadDir(site)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(site, e.Name())))
	}
	return err
}

// copyInto copies what is in a directory, which has only directories and small files.
func copyInto(to, from string) error {
	return filepath.Walk(from, func(path string, info os.FileInfo, err error) error {
		name, relErr := filepath.Rel(from, path)
		if err = errors.Join(err, relErr); err != nil || name == "." {
			return err
		}
		to := filepath.Join(to, name)
		if info.IsDir() {
			if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return os.Chmod(to, info.Mode().Perm())
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(to, text, 0o600), os.Chmod(to, info.Mode().Perm()))
	})
}

// kept copies a site, and returns where the copy is.
func (p program) kept(site string) (string, error) {
	to, err := os.MkdirTemp(p.tmp, "kept-")
	if err == nil {
		err = copyInto(to, site)
	}
	return to, err
}

// putBack makes a site what a copy of it is.
func putBack(site, kept string) error { return errors.Join(clearSite(site), copyInto(site, kept)) }

// rehearse gives a command in a project, and puts everything back to where it was.
func (p program) rehearse(dir string, do func() error) error {
	site := filepath.Dir(dir)
	kept, err := p.kept(site)
	if err != nil {
		return err
	}
	defer os.RemoveAll(kept)
	return errors.Join(do(), putBack(site, kept))
}

// newSite returns a project in a site of its own, which stays until the test ends.
func (p program) newSite(t *testing.T) (dir string) {
	t.Helper()
	site, err := os.MkdirTemp(p.tmp, "store-")
	dir = filepath.Join(site, project)
	if err = errors.Join(err, os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// findCall rehearses a command and returns the first call of its main thread whose trace matches.
func (p program) findCall(dir, at string, command []string) (name string, n int, err error) {
	match := regexp.MustCompile("^" + at)
	err = p.rehearse(dir, func() error {
		tr, err := p.calls(dir, "", command)
		if err != nil {
			return err
		}
		for c, line := range tr.numbered() {
			if match.MatchString(line) {
				name, n = c.name, c.n
				return nil
			}
		}
		return fmt.Errorf("no call of %v is %s", command, at)
	})
	return name, n, err
}

// reboot lets this thread, which has mounts of its own, find itself after another start of the system.
func (p program) reboot() error {
	f, err := os.CreateTemp(p.tmp, "boot-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "%08x-0000-4000-8000-000000000000\n", rand.Uint32())
	return errors.Join(err, f.Close(), unix.Mount(f.Name(), "/proc/sys/kernel/random/boot_id", "", unix.MS_BIND, ""))
}
