//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var before = flag.String("before", "", "an earlier handoff, which BenchmarkStart compares writes with")

// BenchmarkStart is what starting costs, in a store of 200 handoffs that were all read: medians of the ratios to a program
// that does nothing, started in turn. With -before PROGRAM a write is compared with one of that program.
//
//	go test -run '^$' -bench Start -benchtime 1x ./cmd/handoff
func BenchmarkStart(b *testing.B) {
	root, dir := project(b, 200), b.TempDir()
	timed(b, root, "", program(b), "mark-read", "--all", "--to", "ben")
	source := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	empty := build(b, dir, source)
	for b.Loop() {
		for name, args := range map[string][]string{"version": {"version"}, "list": {"list"}, "hook": {"hook", "session-start", "--operator", "ben"},
			"prompt": {"hook", "prompt", "--agent", "claude", "--operator", "ben"}} {
			wall, _ := paired(func(int) (wall, cpu time.Duration) {
				return timed(b, root, `{"session_id":"s-1"}`, append([]string{program(b)}, args...)...)
			},
				func(int) (wall, cpu time.Duration) { return timed(b, root, "", empty) })
			b.ReportMetric(wall, name+"-ratio")
		}
		if *before != "" {
			write := func(program, root string) func(int) (time.Duration, time.Duration) {
				return func(n int) (wall, cpu time.Duration) {
					return timed(b, root, "body\n", program, "write", "-", "--from", "ann", "--to", "ben", "--topic", fmt.Sprint("t", n), "--ts", "2026-05-07T12:00:00Z")
				}
			}
			wall, cpu := paired(write(program(b), b.TempDir()), write(*before, b.TempDir())) // each in a store of its own
			b.ReportMetric(wall, "write-ratio")
			b.ReportMetric(cpu, "write-cpu-ratio")
		}
	}
}

// paired runs two things in turn and returns the medians of the ratios of what they took.
func paired(one, other func(run int) (wall, cpu time.Duration)) (wall, cpu float64) {
	var walls, cpus []float64
	for run := range 200 {
		w1, c1 := one(run)
		w2, c2 := other(run)
		walls, cpus = append(walls, float64(w1)/float64(w2)), append(cpus, float64(c1)/float64(c2))
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	return walls[len(walls)/2], cpus[len(cpus)/2]
}
