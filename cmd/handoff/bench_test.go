//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The benchmarks time whole processes, each in turn with the program that it is compared with, and report
// the ratio of the two times:
//
//	go test -run '^$' -bench . ./cmd/handoff
//
// BenchmarkWrite/N has N handoffs in the store before. The floor program makes the same system calls.

func build(b *testing.B, dir, pkg string) string {
	b.Helper()
	bin := filepath.Join(dir, filepath.Base(pkg))
	if out, err := exec.Command("go", "build", "-o", bin, pkg).CombinedOutput(); err != nil {
		b.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// timed runs a program and returns its wall time and the processor time that it took.
func timed(b *testing.B, dir, stdin string, args ...string) (wall, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func project(b *testing.B, handoffs int) string {
	b.Helper()
	root := b.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "in"), 0o755); err != nil {
		b.Fatal(err)
	}
	var list strings.Builder
	for i := range handoffs {
		path := filepath.Join(root, "in", fmt.Sprintf("%06d.md", i))
		text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: seed-%d\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody\n", i)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		list.WriteString(path + "\x00")
		if (i+1)%5000 == 0 || i+1 == handoffs {
			timed(b, root, list.String(), program(b), "write", "--stdin0", "--quiet")
			list.Reset()
		}
	}
	return root
}

var binary string

func program(b *testing.B) string {
	if binary == "" {
		dir, err := os.MkdirTemp("", "handoff-bench-")
		if err != nil {
			b.Fatal(err)
		}
		binary = build(b, dir, "github.com/seed-78daf238/handoff/cmd/handoff")
	}
	return binary
}

func BenchmarkWrite(b *testing.B) {
	handoff, floor := program(b), build(b, b.TempDir(), "github.com/seed-78daf238/handoff/testdata/floor")
	for _, n := range []int{0, 20_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root, bare := project(b, n), project(b, 1)
			run := 0
			var wall, cpu, least time.Duration
			for b.Loop() {
				run++
				w, c := timed(b, root, "body\n", handoff, "write", "-", "--from", "ann", "--to", "ben", "--topic", fmt.Sprint("t", run), "--ts", "2026-05-07T12:00:00Z")
				f, _ := timed(b, bare, "body\n", floor, bare, fmt.Sprintf("2026-05-07-a-b-%d.md", run))
				wall, cpu, least = wall+w, cpu+c, least+f
			}
			b.ReportMetric(float64(wall)/float64(least), "x-floor")
			b.ReportMetric(float64(wall.Microseconds())/float64(run)/1000, "ms/write")
			b.ReportMetric(float64(cpu.Microseconds())/float64(run)/1000, "cpu-ms/write")
		})
	}
}
