//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"maps"
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

// canShutDown says whether the system can end a file system without writing what it still holds in memory.
func (d disk) canShutDown() bool { return d.name != "btrfs" }

// A lab makes disks from one image and cuts their power.
type lab struct {
	program
	disk
	t        *testing.T
	scenario scenario
	image    string // of the state before the command
	copy     string // the one that is in use
	mount    string
	dir      string // of the project in it
	before   *view
}

func newLab(t *testing.T, p program, d disk, sc scenario) *lab {
	t.Helper()
	needsRoot(t)
	needs(t, d.mkfs[0], "losetup")
	l := &lab{program: p, disk: d, t: t, scenario: sc, image: filepath.Join(p.tmp, "image"), copy: filepath.Join(p.tmp, "copy"), mount: filepath.Join(p.tmp, "disk")}
	must(t, p.tmp, "truncate", "-s", d.size, l.image)
	must(t, p.tmp, append(d.mkfs, l.image)...)
	os.MkdirAll(l.mount, 0o755)
	if r := start(p.tmp, "mount", "-o", "loop"+d.options, l.image, l.mount); r.code != 0 {
		t.Skipf("cannot mount %s here: %s", d.name, r.stderr)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", l.mount).Run(); os.Remove(l.image); os.Remove(l.copy) })
	l.dir = filepath.Join(l.mount, project) // the home of the user is on the disk too
	if err := l.fill(l.dir, sc); err != nil {
		t.Fatal(err)
	}
	l.before = look(l.dir)
	l.unmount()
	l.isFree(l.image)
	return l
}

// on gives the power back: the disk is mounted, from the start image if fresh is set.
func (l *lab) on(fresh bool) {
	l.t.Helper()
	l.isFree(l.copy)
	if fresh {
		must(l.t, l.tmp, "cp", "--sparse=always", l.image, l.copy)
	}
	must(l.t, l.tmp, "mount", "-o", "loop"+l.options, l.copy, l.mount)
}

// unmount takes the disk away. A process that another test has forked has the files of this one until it executes its
// program.
func (l *lab) unmount() {
	l.t.Helper()
	var r result
	for range 1_000 {
		if r = start(l.tmp, "umount", l.mount); r.code == 0 {
			return
		}
	}
	l.t.Fatal(r.stderr)
}

// isFree returns when nobody uses the disk of an image any more: a process that has mounts of its own may have it for a
// moment longer, and then not all of it is in the image.
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

// cut ends everything at once. A cut after others have synced finds more of the names on disk, but not the
// content of files that nobody synced.
func (l *lab) cut(othersSync bool) {
	l.t.Helper()
	if othersSync {
		f, err := os.Create(filepath.Join(l.mount, "of-others"))
		if err == nil {
			f.WriteString("x")
			err = f.Sync()
			f.Close()
		}
		if err != nil {
			l.t.Fatal(err)
		}
	}
	if l.canShutDown() {
		l.shutDown()
		l.unmount()
		return
	}
	// What has reached the device so far is what a copy of it has; what comes later is not in the copy.
	must(l.t, l.tmp, "cp", "--sparse=always", l.copy, l.copy+".cut")
	l.unmount()
	if err := os.Rename(l.copy+".cut", l.copy); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) shutDown() {
	l.t.Helper()
	root, err := os.Open(l.mount)
	if err != nil {
		l.t.Fatal(err)
	}
	defer root.Close()
	how := uint32(noLogFlush)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, root.Fd(), shutdown, uintptr(unsafe.Pointer(&how))); errno != 0 {
		l.t.Fatalf("%s cannot be shut down: %v", l.name, errno)
	}
}

// cutPoints are the calls at which the command is killed before the cut, and "" for none.
func (l *lab) cutPoints() []string {
	l.t.Helper()
	l.on(true)
	trace, err := l.calls(l.dir, "", l.scenario.command)
	if err != nil {
		l.t.Fatal(err)
	}
	l.unmount()
	points := []string{""}
	for c, line := range trace.numbered() {
		if changesDisk.MatchString(line) {
			points = append(points, fmt.Sprintf("%s:signal=KILL:when=%d", c.name, c.n))
		}
	}
	return points
}

// one kills the command at the point, perhaps repeats it, cuts the power, and says what is wrong then.
func (l *lab) one(point string, repeat, othersSync bool) (faults []string) {
	l.on(true)
	var r result
	if point == "" {
		r = l.handoff(l.dir, l.scenario.command...)
	} else {
		r = l.strace(l.dir, []string{point}, l.scenario.command...)
	}
	if repeat {
		r = l.handoff(l.dir, l.scenario.command...)
	}
	if repeat && l.scenario.isDone(r) {
		r.code = 0
	}
	if r.code != 0 && (point == "" || repeat) {
		faults = append(faults, "before the cut: "+r.stderr)
	}
	l.cut(othersSync)
	l.on(false)
	var err error
	ended := ownThread(func() {
		if err = errors.Join(separate(l.mount), l.reboot()); err == nil {
			faults = append(faults, l.afterCut(r)...)
		}
		err = errors.Join(err, unix.Unmount(l.mount, unix.MNT_DETACH)) // isFree waits for who still uses it; not for the thread
	})
	if err = errors.Join(err, unless(ended)); err != nil {
		l.t.Fatal(err)
	}
	l.unmount()
	return faults
}

// afterCut says what is wrong after a cut: what readers are shown, and what is there when the command is given again.
func (l *lab) afterCut(r result) (faults []string) {
	s := &sweep{program: l.program, scenario: l.scenario, t: l.t, before: l.before, listed: make(map[string]bool)}
	for _, topic := range l.scenario.adds {
		s.listed[idOf(topic)] = r.code == 0
	}
	maps.DeleteFunc(s.listed, func(_ string, is bool) bool { return !is })
	faults = append(faults, s.readers(l.dir)...)
	if verify := l.handoff(l.dir, "verify"); verify.code != 0 && l.scenario.command[0] != "doctor" {
		faults = append(faults, fmt.Sprintf("verify has exit code %d: %s%s", verify.code, verify.stdout, verify.stderr))
	}
	if other := l.handoff(l.dir, "write", "e.md"); other.code != 0 && l.scenario.command[0] != "doctor" {
		faults = append(faults, fmt.Sprintf("another write has exit code %d: %s", other.code, other.stderr))
	}
	faults = append(faults, s.afterRepeat(l.dir, r)...)
	return append(faults, s.afterFault(look(l.dir), result{code: 1})...)
}

// all does every step-th cut and returns what was wrong, and how many cuts there were.
func (l *lab) all(step int) (damage []string, cuts int) {
	n := 0
	for _, point := range l.cutPoints() {
		for _, repeat := range []bool{false, true}[:map[bool]int{true: 1, false: 2}[point == ""]] {
			for _, othersSync := range []bool{false, true} {
				if n++; n%step != 0 && point != "" {
					continue
				}
				cuts++
				for _, f := range l.one(point, repeat, othersSync) {
					damage = append(damage, fmt.Sprintf("%s, %s, cut at %q, repeated before: %v, others synced: %v: %s", l.disk.name, l.scenario.name, point, repeat, othersSync, f))
				}
			}
		}
	}
	return damage, cuts
}

// cutScenarios are those whose order on disk differs.
func cutScenarios(all bool) (list []scenario) {
	want := map[string]bool{"first write": true, "write": true, "mark-read": true}
	for _, more := range []string{"batch", "batch on many threads", "rotation", "mark-read in an archive", "resume", "repair of a broken chain", "rebuilt index"} {
		want[more] = all
	}
	for _, sc := range scenarios() {
		if want[sc.name] {
			list = append(list, sc)
		}
	}
	return list
}

func TestPowerCut(t *testing.T) { // not beside tests that sync all disks
	all := thorough(t)
	bin := build(t)
	for _, d := range disks {
		for _, sc := range cutScenarios(all) {
			t.Run(d.name+", "+sc.name, func(t *testing.T) {
				t.Parallel()
				damage, cuts := newLab(t, program{bin, memory(t)}, d, sc).all(map[bool]int{true: 1, false: 59}[all])
				for _, f := range damage {
					t.Error(f)
				}
				t.Logf("%d cuts", cuts)
			})
		}
	}
}

// Without its one sync the program must be found to lose something on at least one of the disks.
func TestPowerCutFindsDamage(t *testing.T) {
	thorough(t)
	bin, found := broken(t, "no-sync"), 0
	for _, d := range disks {
		t.Run(d.name, func(t *testing.T) {
			l := newLab(t, program{bin, memory(t)}, d, scenarios()[1])
			damage := append(l.one("", false, false), l.one("", false, true)...)
			found += len(damage)
			t.Logf("%d reports of damage: %.1q", len(damage), damage)
		})
	}
	if found == 0 {
		t.Error("the sync was removed, and no cut showed it")
	}
}
