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
	bin := filepath.Join(dir, strings.TrimSuffix(filepath.Base(pkg), ".go"))
	cmd := exec.Command("go", "build", "-o", bin, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the README builds
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// timed runs a program and returns its wall time and the processor time that it took.
func timed(b *testing.B, dir, stdin string, args ...string) (wall, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(stdin), ownState(dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// ownState is an environment in which the state of the user lies beside a project, and not in the home directory of
// who runs the benchmark.
func ownState(root string) []string { return append(os.Environ(), "XDG_STATE_HOME="+root+".state") }

func project(b *testing.B, handoffs int) string {
	b.Helper()
	root := b.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	for i := range handoffs {
		dir := filepath.Join(root, "in", fmt.Sprint(i/5000))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%06d.md", i))
		text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: seed-%d\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody\n", i)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		if (i+1)%5000 == 0 || i+1 == handoffs {
			timed(b, root, "", program(b), "write", dir, "--quiet")
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

// BenchmarkWriters is 4 shells at once that write 25 handoffs each, one after the other, and as many that only start
// the program. With -before PROGRAM the rate of writes is compared with that program's, in turn.
func BenchmarkWriters(b *testing.B) {
	const writers, each = 4, 25
	atOnce := func(command string) time.Duration {
		loop := fmt.Sprintf("(for n in $(seq %d); do %s >>out || exit; done) & all=\"$all $!\"; w=$((w+1))\n", each, command)
		wall, _ := timed(b, b.TempDir(), "", "sh", "-c", "w=0\n"+strings.Repeat(loop, writers)+"for one in $all; do wait $one || exit; done")
		return wall
	}
	write := func(program string) string {
		return "echo body | " + program + " write - --from ann --to ben --topic t-$w-$n --ts 2026-05-07T12:00:00Z"
	}
	handoff := program(b)
	var written, started, earlier time.Duration
	for b.Loop() {
		written += atOnce(write(handoff))
		started += atOnce(handoff + " version")
		if *before != "" {
			earlier += atOnce(write(*before))
		}
	}
	if *before != "" {
		b.ReportMetric(float64(earlier)/float64(written), "rate-ratio")
	}
	b.ReportMetric(float64(b.N*writers*each)/written.Seconds(), "writes/s")
	b.ReportMetric(float64(b.N*writers*each)/started.Seconds(), "starts/s")
	b.ReportMetric(float64(written)/float64(started), "ratio")
}

// BenchmarkHook/N is the start of a session in a store of N handoffs that were all read, as a multiple of
// the start of a program that does nothing. In BenchmarkHook/unread 50 of 10,000 are unread.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	source := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	empty := build(b, dir, source)
	run := func(name string, n, unread int) {
		b.Run(name, func(b *testing.B) {
			root := project(b, n)
			timed(b, root, "", program(b), "mark-read", "--all", "--to", "ben")
			for i := range unread {
				timed(b, root, "body\n", program(b), "write", "-", "--from", "ann", "--to", "ben", "--topic", fmt.Sprint("new-", i), "--ts", "2026-05-07T12:00:00Z")
			}
			compare(b, root, []string{program(b), "hook", "session-start", "--operator", "ben"}, []string{empty})
		})
	}
	run("1", 1, 0)
	run("10000", 10_000, 0)
	run("unread", 10_000, 50)
}

// BenchmarkList is `list --unread` where 2,000 of 100,000 handoffs are unread.
func BenchmarkList(b *testing.B) {
	root := project(b, 98_000)
	timed(b, root, "", program(b), "mark-read", "--all", "--to", "ben")
	for i := range 2000 {
		path := filepath.Join(root, "in", fmt.Sprintf("%06d.md", i))
		text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: new-%d\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody\n", i)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	timed(b, root, "", program(b), "write", "in")
	compare(b, root, []string{program(b), "list", "--unread"}, []string{program(b), "version"})
}

// compare times two commands in turn and reports the first as a multiple of the second.
func compare(b *testing.B, dir string, first, second []string) {
	b.Helper()
	var one, other time.Duration
	runs := 0
	for b.Loop() {
		w, _ := timed(b, dir, "", first...)
		f, _ := timed(b, dir, "", second...)
		one, other, runs = one+w, other+f, runs+1
	}
	b.ReportMetric(float64(one)/float64(other), "ratio")
	b.ReportMetric(float64(one.Microseconds())/float64(runs)/1000, "ms/run")
}
