//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A smallDisk is a file system that can be filled up to the last block or file.
type smallDisk struct {
	name  string
	mount func(t *testing.T, dir string)
}

var smallDisks = []smallDisk{
	{"tmpfs", func(t *testing.T, dir string) {
		must(t, dir, "mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=200", "handoff-faults", dir)
	}},
	{"ext4", func(t *testing.T, dir string) {
		image := filepath.Join(memory(t), "image")
		must(t, "/", "truncate", "-s", "5M", image)
		must(t, "/", "mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", "-N", "200", image)
		if r := start("/", "mount", "-o", "loop", image, dir); r.code != 0 {
			t.Skipf("cannot mount ext4 here: %s", r.stderr)
		}
	}},
}

// fill takes all room of the disk but n blocks, or all files but n, and returns how to give it back.
func fill(t *testing.T, dir string, blocks bool, n int) (empty func()) {
	t.Helper()
	fillers := filepath.Join(dir, "fillers")
	if err := os.Mkdir(fillers, 0o755); err != nil {
		t.Fatal(err)
	}
	var made []string
	for i := 0; ; i++ {
		path := filepath.Join(fillers, fmt.Sprint(i))
		err := os.WriteFile(path, make([]byte, map[bool]int{true: 4096}[blocks]), 0o600)
		if err != nil {
			os.Remove(path)
			break
		}
		made = append(made, path)
	}
	for _, path := range made[max(0, len(made)-n):] {
		os.Remove(path)
	}
	unix.Sync()
	return func() { os.RemoveAll(fillers) }
}

// resourceScenarios are the commands that write in different ways, or one of them unless the sweeps are wanted.
func resourceScenarios() []scenario {
	want := []string{"first write", "write", "batch", "mark-read", "resume", "regenerate"}
	if os.Getenv("HANDOFF_FAULTS") == "" {
		want = few
	}
	return slices.DeleteFunc(scenarios(), func(sc scenario) bool {
		return !slices.Contains(want, sc.name)
	})
}

// However much room is left on the disk, a command that does not find enough says so and changes nothing,
// and the same command succeeds when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	needs(t, "mkfs.ext4")
	bin := build(t)
	for _, disk := range smallDisks {
		for _, sc := range resourceScenarios() {
			name := disk.name + ", " + sc.name
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				refused, tried := 0, 0
				for _, blocks := range []bool{true, false} {
					for _, n := range sampled([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 1, fmt.Sprint(name, blocks)) {
						if tried++; fullDisk(t, bin, disk, sc, blocks, n) {
							refused++
						}
					}
				}
				if refused == 0 {
					t.Error("no command was refused")
				}
				t.Logf("%d of %d commands found no room", refused, tried)
			})
		}
	}
}

func fullDisk(t *testing.T, bin string, small smallDisk, sc scenario, blocks bool, n int) (refused bool) {
	t.Helper()
	dir := t.TempDir()
	small.mount(t, dir)
	defer exec.Command("umount", "-l", dir).Run()
	p, disk := program{bin, dir}, dir
	dir = filepath.Join(disk, project) // the home of the user is on the disk too
	if err := p.fill(dir, sc); err != nil {
		t.Fatal(err)
	}
	s := &sweep{program: p, scenario: sc, t: t, before: look(dir)}
	empty := fill(t, disk, blocks, n)
	first := p.handoff(dir, sc.command...)
	faults := append(s.afterFault(look(dir), first), s.readers(dir)...)
	faults = append(faults, first.refusal("no space left")...)
	empty()
	faults = append(faults, s.afterRepeat(dir, first)...)
	for _, f := range faults {
		t.Errorf("%d left of the blocks (%v) or files: %s", n, blocks, f)
	}
	return first.code != 0
}

// refusal says what is wrong with how a command failed, if it did: it must name the cause and what to do.
func (r result) refusal(cause string) []string {
	if r.code == 0 || r.code == 1 && r.stdout == "" && strings.Contains(r.stderr, cause) && strings.Contains(r.stderr, "hint: ") {
		return nil
	}
	return []string{fmt.Sprintf("exit code %d: %s%s", r.code, r.stdout, r.stderr)}
}

// limits are sizes of files among which a journal, an index, a log and a document grow.
func limits() (list []int) {
	for limit := 0; limit < 3000; limit += 113 {
		list = append(list, limit)
	}
	return append(list, 4096, 5000, 8192, 12288, 1<<20, 1<<20+4096)
}

// A file that may not grow any further takes a part of what is written: nothing of that remains.
func TestShortWrites(t *testing.T) {
	t.Parallel()
	needs(t, "prlimit")
	p := program{build(t), memory(t)}
	for _, sc := range resourceScenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s, refused := newSweep(t, p, sc), 0
			for _, limit := range sampled(limits(), 11, sc.name) {
				s.fresh(func(dir string) {
					first := start(dir, append([]string{"prlimit", fmt.Sprintf("--fsize=%d", limit), p.bin}, sc.command...)...)
					faults := append(s.afterFault(look(dir), first), s.readers(dir)...)
					faults = append(faults, first.refusal("file too large")...)
					for _, f := range append(faults, s.afterRepeat(dir, first)...) {
						t.Errorf("files of at most %d bytes: %s", limit, f)
					}
					if first.code != 0 {
						refused++
					}
				})
			}
			if refused == 0 {
				t.Error("no command was refused")
			}
		})
	}
}
