//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var scale = flag.Int("scale", 100_000, "handoffs in the large store of BenchmarkScale")

// BenchmarkScale is how the cost of the commands grows with the store, in one run over the same stores:
//
//	go test -run '^$' -bench Scale -benchtime 1x ./cmd/handoff
//
// The flat store has a fifth of the handoffs and no rotation. Bodies have 1.2 KB. Each figure is that of the fastest run, which other work on the machine disturbed
// least; writes are compared in turn. testdata/figures.md holds what was measured.
func BenchmarkScale(b *testing.B) {
	const batch = 5000
	n := max(*scale, batch)
	handoff := program(b)
	large := emptyProject(b, "")
	best := time.Hour
	for first := 0; first < n; first += batch {
		dir := scaleSources(b, large, first, batch)
		wall, _, _ := measured(b, large, "", handoff, "write", dir, "--quiet")
		best = min(best, wall)
	}
	b.ReportMetric(batch/best.Seconds(), "batch-docs/s")
	empty, flat := emptyProject(b, ""), emptyProject(b, "index_max_rows: 1000000\n")
	for first := 0; first < n/5; first += batch {
		measured(b, flat, "", handoff, "write", scaleSources(b, flat, first, batch), "--quiet")
	}
	scaleWrites(b, []string{empty, large, flat})
	scaleReads(b, large, float64(n))
	measured(b, large, "", handoff, "mark-read", "--all", "--to", "ben")
	measured(b, large, "", handoff, "write", scaleSources(b, large, n, 2000), "--quiet")
	wall, cpu, kb := fastest(b, 15, large, handoff, "list", "--unread")
	b.ReportMetric(milliseconds(wall), "list-ms")
	b.ReportMetric(milliseconds(cpu), "list-cpu-ms")
	b.ReportMetric(float64(kb)/1024, "list-MB")
}

// scaleWrites writes to each store in turn, and compares the medians with that of the first.
func scaleWrites(b *testing.B, stores []string) {
	names := []string{"write", "write-large", "write-flat"}
	walls, cpus := make([][]time.Duration, len(stores)), make([][]time.Duration, len(stores))
	for run := range 40 {
		for i, root := range stores {
			wall, cpu, _ := measured(b, root, "body\n", program(b), "write", "-", "--from", "ann", "--to", "ben", "--topic", fmt.Sprint("t", run), "--ts", "2026-05-07T12:00:00Z")
			walls[i], cpus[i] = append(walls[i], wall), append(cpus[i], cpu)
		}
	}
	for i, name := range names {
		slices.Sort(walls[i])
		slices.Sort(cpus[i])
		b.ReportMetric(milliseconds(cpus[i][len(cpus[i])/2]), name+"-cpu-ms")
		if i > 0 {
			b.ReportMetric(float64(walls[i][len(walls[i])/2])/float64(walls[0][len(walls[0])/2]), name+"-ratio")
			b.ReportMetric(float64(cpus[i][len(cpus[i])/2])/float64(cpus[0][len(cpus[0])/2]), name+"-cpu-ratio")
		}
	}
}

func scaleReads(b *testing.B, root string, n float64) {
	wall, cpu, kb := fastest(b, 5, root, program(b), "verify", "--quiet")
	b.ReportMetric(n/wall.Seconds(), "verify-docs/s")
	b.ReportMetric(n/cpu.Seconds(), "verify-docs/cpu-s")
	b.ReportMetric(float64(kb)/1024, "verify-MB")
	wall, cpu, _ = fastest(b, 5, root, program(b), "search", "nowhere")
	b.ReportMetric(milliseconds(wall), "search-ms")
	b.ReportMetric(milliseconds(cpu), "search-cpu-ms")
	wall, cpu, kb = fastest(b, 5, root, program(b), "search", "what do people write when they hand work over?") // all have it
	b.ReportMetric(milliseconds(wall), "search-question-ms")
	b.ReportMetric(milliseconds(cpu), "search-question-cpu-ms")
	b.ReportMetric(float64(kb)/1024, "search-MB")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func emptyProject(b *testing.B, settings string) string {
	b.Helper()
	root := b.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), []byte(settings), 0o644); err != nil {
		b.Fatal(err)
	}
	return root
}

// scaleSources makes documents and returns their directory.
func scaleSources(b *testing.B, root string, first, count int) string {
	b.Helper()
	dir := filepath.Join(root, "in")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	line := "One line of a body, as people write it when they hand work over.\n"
	for i := first; i < first+count; i++ {
		path := filepath.Join(dir, fmt.Sprint(i-first, ".md")) // overwritten by the next batch: removing would slow the disk down
		text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: n%d\nts_utc: '2026-05-07T12:00:00Z'\n---\n%s", i, strings.Repeat(line, 18))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// measured is timed, with the most memory that the program had, in KB. The system counts what this process had before
// it began the other one: so that is made little.
func measured(b *testing.B, dir, stdin string, args ...string) (wall, cpu time.Duration, kb int64) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(stdin), ownState(dir)
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%.2000s", args, err, out)
	}
	wall = time.Since(start)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.Maxrss
}

// fastest returns the least of each figure over some runs, and the most memory.
func fastest(b *testing.B, runs int, dir string, args ...string) (wall, cpu time.Duration, kb int64) {
	b.Helper()
	wall, cpu = time.Hour, time.Hour
	for range runs {
		w, c, k := measured(b, dir, "", args...)
		wall, cpu, kb = min(wall, w), min(cpu, c), max(kb, k)
	}
	return wall, cpu, kb
}
