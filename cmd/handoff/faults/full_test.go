//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// resourceScenarios are the commands that write in different ways.
func resourceScenarios() (list []scenario) {
	for _, name := range []string{"write", "first write", "batch", "mark-read"} {
		if name == "write" || mode() != "" {
			list = append(list, scenarioOf(name))
		}
	}
	return list
}

// refused says what is wrong with how a command failed, if it did, and after it: it must name the cause and what to do.
func (s *sweep) refused(r result, cause string) (faults []string) {
	isSaid := strings.Contains(r.stderr, cause) && strings.Contains(r.stderr, "hint: ")
	if r.code != 0 && (r.code != 1 || r.stdout != "" || !isSaid) {
		faults = []string{fmt.Sprintf("exit code %d: %s%s", r.code, r.stdout, r.stderr)}
	}
	now := look(s.dir)
	if r.code == 0 { // INDEX.md may have found no room
		now.rows, now.read = now.stored, now.marks
	}
	return append(append(faults, s.after(now, r)...), s.readers(now)...)
}

// However much room is left on the disk, a command that does not find enough says so and changes nothing, and the same
// command succeeds when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	for _, sc := range resourceScenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s, refused := newSweep(t, build(t, ""), sc), 0
			must(t, "/", "mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=200", "handoff-faults", s.root)
			t.Cleanup(func() { exec.Command("umount", "-l", s.root).Run() })
			for _, isOfBlocks := range []bool{true, false} {
				for left := range 9 {
					entries, _ := os.ReadDir(s.root)
					for _, e := range entries {
						os.RemoveAll(filepath.Join(s.root, e.Name()))
					}
					if err := copyInto(s.root, s.root+".kept"); err != nil {
						t.Fatal(err)
					}
					empty := occupy(t, s.root, isOfBlocks, left)
					r := s.run(sc.command...)
					faults := s.refused(r, "no space left")
					if r.code != 0 {
						refused++
					}
					empty()
					for _, f := range append(faults, s.repeat(r)...) {
						t.Errorf("%d left of the blocks (%v) or files: %s", left, isOfBlocks, f)
					}
				}
			}
			if refused == 0 && sc.adds != "" { // a line fits in a block that is there
				t.Error("no command was refused")
			}
		})
	}
}

// occupy takes all room of the disk but some blocks, or all files but some, and returns how to give it back.
func occupy(t *testing.T, dir string, isOfBlocks bool, left int) (empty func()) {
	t.Helper()
	fillers := filepath.Join(dir, "fillers")
	if err := os.Mkdir(fillers, 0o755); err != nil {
		t.Fatal(err)
	}
	var made []string
	for i := 0; ; i++ {
		path := filepath.Join(fillers, fmt.Sprint(i))
		if err := os.WriteFile(path, make([]byte, map[bool]int{true: 4096}[isOfBlocks]), 0o600); err != nil {
			os.Remove(path)
			break
		}
		made = append(made, path)
	}
	for _, path := range made[max(0, len(made)-left):] {
		os.Remove(path)
	}
	return func() { os.RemoveAll(fillers) }
}

// A file that may not grow any further takes a part of what is written: nothing of that remains.
func TestShortWrites(t *testing.T) {
	t.Parallel()
	needs(t, "prlimit")
	for _, sc := range resourceScenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s, refused := newSweep(t, build(t, ""), sc), 0
			for limit := 0; limit < 3000; limit += map[bool]int{true: 61, false: 307}[mode() == "all"] {
				if err := s.reset(); err != nil {
					t.Fatal(err)
				}
				command := append([]string{"prlimit", fmt.Sprintf("--fsize=%d", limit), s.bin}, sc.command...)
				r := start(s.dir, command...)
				if r.code != 0 {
					refused++
				}
				for _, f := range append(s.refused(r, "file too large"), s.repeat(r)...) {
					t.Errorf("files of at most %d bytes: %s", limit, f)
				}
			}
			if refused == 0 {
				t.Error("no command was refused")
			}
		})
	}
}
