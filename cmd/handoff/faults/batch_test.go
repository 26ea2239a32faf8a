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

// However many bytes a batch has, of documents or of records, few of them are in memory.
func TestMemoryOfBatches(t *testing.T) {
	all := thorough(t)
	t.Parallel()
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
		if kind == "json" && !all {
			continue // records take six times as long
		}
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
		cmd.Dir, cmd.Env = dir, environ(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %.2000s", err, out)
		}
		if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; used > 300<<20 {
			t.Errorf("%s: a batch of %d documents took %d MB", kind, documents, used>>20)
		}
		must(t, dir, p.bin, "verify")
	}
}
