//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A disk is a kind of file system whose power can be cut.
type disk struct {
	name, size string
	mkfs       []string
	options    string
}

var disks = []disk{
	{"ext4", "32M", words("mkfs.ext4 -q -F"), ""},
	{"ext4 writeback", "32M", words("mkfs.ext4 -q -F"), ",data=writeback,noauto_da_alloc"},
	{"xfs", "320M", words("mkfs.xfs -q -f"), ""},
	{"btrfs", "160M", words("mkfs.btrfs -q -f"), ""},
}

// A lab makes disks from one image and cuts their power. The home of the user is on the disk too.
type lab struct {
	*sweep
	disk
	tmp   string
	image string // of the state before the command
	copy  string // the one that is in use
}

func newLab(t *testing.T, bin string, d disk, sc scenario) *lab {
	t.Helper()
	needsRoot(t)
	needs(t, d.mkfs[0], "losetup", "strace")
	s := newSite(t, bin)
	tmp := filepath.Dir(s.root)
	l := &lab{sweep: &sweep{site: s, scenario: sc, t: t, seen: map[string]bool{}}, disk: d, tmp: tmp,
		image: filepath.Join(tmp, "image"), copy: filepath.Join(tmp, "copy")}
	must(t, tmp, "truncate", "-s", d.size, l.image)
	must(t, tmp, append(d.mkfs, l.image)...)
	if r := start(tmp, "mount", "-o", "loop"+d.options, l.image, s.root); r.code != 0 {
		t.Skipf("cannot mount %s here: %s", d.name, r.stderr)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", s.root).Run(); os.Remove(l.image); os.Remove(l.copy) })
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l.fill(t, sc)
	l.before = look(l.dir)
	l.unmount()
	l.isFree(l.image)
	return l
}

// on gives the power back: the disk is mounted, from the first image if fresh is set.
func (l *lab) on(fresh bool) {
	l.t.Helper()
	l.isFree(l.copy)
	if fresh {
		must(l.t, l.tmp, "cp", "--sparse=always", l.image, l.copy)
	}
	must(l.t, l.tmp, "mount", "-o", "loop"+l.options, l.copy, l.root)
}

// unmount takes the disk away. A process that another test has forked has the files of this one until it executes its
// program.
func (l *lab) unmount() {
	l.t.Helper()
	var r result
	for range 1_000 {
		if r = start(l.tmp, "umount", l.root); r.code == 0 {
			return
		}
	}
	l.t.Fatal(r.stderr)
}

// isFree returns when nobody uses the disk of an image any more: until then not all of it is in the image.
func (l *lab) isFree(image string) {
	for range 10_000 {
		if start(l.tmp, "losetup", "-j", image).stdout == "" {
			return
		}
	}
	l.t.Fatal("the disk stays in use")
}

const (
	shutdown   = 0x8004587d // FS_IOC_SHUTDOWN of XFS and ext4
	noLogFlush = 2          // what is not on disk yet is lost
)

// cut ends everything at once. A cut after others have synced finds more of the names on disk, but not the content of
// files that nobody synced.
func (l *lab) cut(othersSync bool) {
	l.t.Helper()
	root, err := os.Open(l.root)
	if err == nil && othersSync {
		var f *os.File
		if f, err = os.Create(filepath.Join(l.root, "of-others")); err == nil {
			_, err = f.WriteString("x")
			err = errors.Join(err, f.Sync(), f.Close())
		}
	}
	if err != nil {
		l.t.Fatal(err)
	}
	if l.disk.name != "btrfs" {
		how := uint32(noLogFlush)
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, root.Fd(), shutdown, uintptr(unsafe.Pointer(&how)))
		root.Close()
		if errno != 0 {
			l.t.Fatalf("%s cannot be shut down: %v", l.disk.name, errno)
		}
		l.unmount()
		return
	}
	root.Close()
	// What has reached the device so far is what a copy of it has; what comes later is not in the copy.
	must(l.t, l.tmp, "cp", "--sparse=always", l.copy, l.copy+".cut")
	l.unmount()
	if err := os.Rename(l.copy+".cut", l.copy); err != nil {
		l.t.Fatal(err)
	}
}

// one kills the command at the point, or gives it whole if that is "", perhaps repeats it, cuts the power, and says
// what is wrong then.
func (l *lab) one(point string, repeat, othersSync bool) (faults []string) {
	l.on(true)
	var r result
	if point == "" {
		r = l.run(l.command...)
	} else {
		r = l.strace(l.dir, point, l.command...)
	}
	if repeat {
		r = l.run(l.command...)
	}
	if r.code != 0 && (point == "" || repeat) {
		faults = append(faults, fmt.Sprintf("before the cut exit code %d: %s", r.code, r.stderr))
	}
	l.cut(othersSync)
	l.on(false)
	now := look(l.dir)
	now.rows, now.read = now.stored, now.marks // the table may lag behind
	faults = append(faults, l.after(now, r)...)
	faults = append(faults, l.readers(now)...)
	if other := l.run("write", "e.md"); other.code != 0 {
		faults = append(faults, fmt.Sprintf("another write has exit code %d: %s", other.code, other.stderr))
	}
	faults = append(faults, l.repeat(r)...)
	l.unmount()
	return faults
}

// all does the cuts of the kills, or of some, and of the whole command.
func (l *lab) all(most int) (damage []string, cuts int) {
	l.on(true)
	points := append(some(l.trace().kills(), most, l.disk.name+l.scenario.name), "")
	l.unmount()
	for i, point := range points {
		for n, repeat := range []bool{false, true} {
			for m, othersSync := range []bool{false, true} {
				if mode() != "all" && (i+n+m)%2 == 0 && point != "" {
					continue
				}
				cuts++
				for _, f := range l.one(point, repeat, othersSync) {
					damage = append(damage, fmt.Sprintf("cut at %q, repeated before: %v, others synced: %v: %s",
						point, repeat, othersSync, f))
				}
			}
		}
	}
	return damage, cuts
}

func TestPowerCut(t *testing.T) { // not beside tests that sync all disks
	thorough(t)
	bin, most := build(t, ""), map[string]int{"ci": 2, "all": 1000}[mode()]
	for _, d := range disks {
		for _, name := range []string{"first write", "write", "batch", "mark-read"} {
			if mode() == "ci" && (name == "batch") != (d.options != "") {
				continue
			}
			t.Run(d.name+", "+name, func(t *testing.T) {
				t.Parallel()
				damage, cuts := newLab(t, bin, d, scenarioOf(name)).all(most)
				for _, f := range damage {
					t.Error(f)
				}
				t.Logf("%d cuts", cuts)
			})
		}
	}
}

// Without a sync the program must be found to lose something on at least one of the disks.
func TestPowerCutFindsDamage(t *testing.T) {
	thorough(t)
	for _, how := range []string{"no-body-sync", "no-log-sync", "no-rewrite"} {
		found := 0
		for _, d := range disks {
			if mode() == "ci" && found > 0 {
				break
			}
			t.Run(how+", "+d.name, func(t *testing.T) {
				l := newLab(t, build(t, how), d, scenarioOf("write"))
				var damage []string
				if how == "no-rewrite" { // the first one is killed before its sync, the second says that it exists
					l.on(true)
					at := l.trace().find(atSync)
					l.unmount()
					damage = l.one(withKill(at), true, false)
				} else {
					damage = append(l.one("", false, false), l.one("", false, true)...)
				}
				found += len(damage)
				t.Logf("%d reports of damage: %.1q", len(damage), damage)
			})
		}
		if found == 0 {
			t.Errorf("%s: no cut showed it", how)
		}
	}
}
