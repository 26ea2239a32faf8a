//go:build unix

package exchange_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// BenchmarkSync says what an exchange costs in a store of 10,000, and with 1,000 writers, the programs of git included.
func BenchmarkSync(b *testing.B) {
	hub, roots := clones(b, 2)
	fill(b, roots[0], 9_980, 100)
	mustSync(b, roots[0])
	mustSync(b, roots[1])
	run := func(name string, root int, before func(n int)) {
		b.Run(name, func(b *testing.B) {
			var used time.Duration
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				before(n)
				began := processorTime(b)
				b.StartTimer()
				mustSync(b, roots[root])
				used += processorTime(b) - began
			}
			b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
	hundred := func(n int) {
		sources := make([]handoff.Source, 100)
		for i := range sources {
			sources[i] = doc(fmt.Sprintf("more-%d-%d-%d", time.Now().UnixNano(), n, i))
		}
		if _, err := mustOpen(b, roots[0]).WriteAll(context.Background(), sources); err != nil {
			b.Fatal(err)
		}
	}
	run("send 100", 0, hundred)
	run("receive 100", 1, func(n int) {
		hundred(n)
		mustSync(b, roots[0])
	})
	run("no news", 1, func(int) {})
	var writers strings.Builder
	for n := range 1000 {
		file := writerFile(n)
		fmt.Fprintf(&writers, "commit refs/handoff/writers/w-%016x\ncommitter w <w@handoff> 1778155200 +0000\ndata 1\nx\nM 100644 inline writer.json\ndata %d\n%s\n", n, len(file), file)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = hub, strings.NewReader(writers.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	began := time.Now()
	mustSync(b, roots[1])
	b.Log("1,000 writers come", time.Since(began))
	run("no news of 1,000 writers", 1, func(int) {})
}

func writerFile(n int) string {
	return fmt.Sprintf(`{"created":"2026-05-07T12:00:00Z","format":"handoff-writer/1","writer":"w-%016x"}`, n)
}

// processorTime is what this process and the programs that it has run have used.
func processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum
}

var claimsTaken = flag.Int("claims", 2_000, "how many claims BenchmarkClaims takes at once")

// BenchmarkClaims says what claims cost who takes, and who hears of it.
func BenchmarkClaims(b *testing.B) {
	n := *claimsTaken
	for b.Loop() {
		b.StopTimer()
		_, roots := clones(b, 2)
		fill(b, roots[0], n, 100)
		mustSync(b, roots[0])
		mustSync(b, roots[1])
		entries, err := mustOpen(b, roots[1]).List(handoff.Filter{})
		if err != nil {
			b.Fatal(err)
		}
		var ids []string
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		measure := func(what string, do func()) {
			began, from := processorTime(b), time.Now()
			b.StartTimer()
			do()
			b.StopTimer()
			cpu, all := processorTime(b)-began, time.Since(from)
			b.Logf("%s: %v, %v of the processor", what, all, cpu)
			b.ReportMetric(float64(cpu.Milliseconds()), what+"-cpu-ms")
			b.ReportMetric(float64(all.Milliseconds()), what+"-ms")
		}
		measure("take", func() {
			if _, err := all(roots[1], "ben", handoff.ActTake, ids...); err != nil {
				b.Fatal(err)
			}
		})
		measure("receive", func() { mustSync(b, roots[0]) })
		b.StartTimer()
	}
}
