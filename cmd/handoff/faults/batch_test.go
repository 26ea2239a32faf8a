//go:build linux

package faults_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inPieces makes the events of a batch of a few documents lie in a file beside the intent, as those of a large one do.
var inPieces = edit{"lib/internal/txn/lines.go", "const pieceSize = 4 << 20", "const pieceSize = 1 << 10"}

// Kills and errors at every call of a batch whose events do not fit into memory, and of what completes or takes back one.
func TestSweepOfPieces(t *testing.T) {
	all, p := thorough(t), program{build(t, inPieces, byName), memory(t)}
	three, batch, other := [][]string{words("write in/a.md in/b.md in/c.md")}, words("write batch"), words("write d.md")
	for _, sc := range []scenario{
		{name: "batch", prepare: three, command: batch, adds: words("f g h i j")},
		{name: "recovery of no batch", prepare: three, crashes: []crash{{beforeCommit, batch}}, command: other, adds: words("d")},
		{name: "recovery of a batch", prepare: three, crashes: []crash{{beforeEvent, batch}}, command: other, adds: words("d")},
	} {
		t.Run(sc.name, func(t *testing.T) {
			s := newSweep(t, p, sc)
			if n := s.trace().most["pwrite64"]; len(sc.crashes) == 0 && n < 3 {
				t.Errorf("the events are recorded in %d pieces", n)
			}
			s.run(s.injections(extent{all: all, closely: len(sc.crashes) == 0}))
			s.report(t)
		})
	}
}

// However many bytes a batch has, of documents or of records, few of them are in memory.
func TestMemoryOfBatches(t *testing.T) {
	const documents = 100
	p := program{build(t), t.TempDir()}
	line := "Tests are green, and the deploy of today waits for a word of whoever owns the service of invoices. "
	long := strings.Repeat(line, 1<<20/len(line)-10)
	for kind, put := range map[string]func(path string, n int){
		"md": func(path string, n int) {
			mustWrite(t, path, strings.Replace(doc(fmt.Sprint("t-", n)), "body", long, 1))
		},
		"json": func(path string, n int) {
			mustWrite(t, path, fmt.Sprintf(`{"objective":"Move the service of invoices","completed":[%q],"unresolved":["The nightly export"],"assumptions":["The window stands"],
				"next_action":"Ask who owns the nightly export","risks":["Rows may be lost"],"updated_at":"2026-05-%02dT12:00:00Z","resume_token":"token-of-this-%d"}`, long[:len(long)/3], n%20+1, n))
		},
	} {
		dir := filepath.Join(p.tmp, kind)
		mustWrite(t, filepath.Join(dir, ".handoff.yaml"), "")
		for n := range documents {
			put(filepath.Join(dir, "in", fmt.Sprint(n, ".", kind)), n)
		}
		args := []string{"write", "in", "--quiet"}
		if kind == "json" {
			args = append(args, "--from", "ann", "--to", "ben", "--topic", "t")
		}
		cmd := exec.Command(p.bin, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %.2000s", err, out)
		}
		if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; used > mostMemory {
			t.Errorf("%s: a batch of %d documents took %d MB", kind, documents, used>>20)
		}
		must(t, dir, p.bin, "verify")
	}
}
