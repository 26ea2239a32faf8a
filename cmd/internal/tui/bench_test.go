//go:build linux

package tui_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

var (
	scale  = flag.Int("scale", 100_000, "handoffs in the store of the benchmark")
	stored = flag.String("store", "", "a project to look at in place of a new one")
)

// BenchmarkInbox measures, in a terminal: until the first list is on the screen, and what processor time that took, until all handoffs are read, until a key shows,
// until a filter over all does, and the most memory that it had.
func BenchmarkInbox(b *testing.B) {
	root := *stored
	if root == "" {
		root = large(b, *scale)
	}
	counted := regexp.MustCompile(`Unread \d`)
	var first, work, whole, key, filter, memory []float64
	for b.Loop() {
		began := time.Now()
		s := start(b, 80, 24, root, "inbox")
		s.sees("Inbox", "●")
		first, work = append(first, since(began)), append(work, spent(b, s.cmd.Process.Pid))
		s.until("how many there are", counted.MatchString)
		whole = append(whole, since(began))
		s.sees("retries")
		s.press("\t\t") // All
		s.sees("→ cleo")
		for range 10 {
			key = append(key, s.answers("j"))
		}
		s.press("/")
		filter = append(filter, s.answers("r"), s.answers("e"), s.answers("t"))
		memory = append(memory, peak(b, s.cmd.Process.Pid))
		s.press("\x03")
		s.sees("enter read")
		s.press("q")
		s.leaves()
	}
	b.ReportMetric(median(first), "ms-first")
	b.ReportMetric(median(work), "ms-work-first")
	b.ReportMetric(median(whole), "ms-whole")
	b.ReportMetric(median(key), "ms-key")
	b.ReportMetric(median(filter), "ms-filter")
	b.ReportMetric(median(memory), "MB")
	b.ReportMetric(0, "ns/op")
}

// answers presses a key and returns how long it takes until the terminal gets something.
func (s *session) answers(key string) float64 {
	time.Sleep(150 * time.Millisecond) // what came before is shown
	for len(s.news) > 0 {
		<-s.news
	}
	began := time.Now()
	s.press(key)
	select {
	case <-s.news:
	case <-s.late:
		s.Fatal("no answer")
	}
	return since(began)
}

func since(began time.Time) float64 { return float64(time.Since(began).Microseconds()) / 1000 }

func median(values []float64) float64 {
	sorted := append([]float64(nil), values...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted[len(sorted)/2]
}

// peak is the most memory that a process had, in MB.
func peak(b *testing.B, pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	found := regexp.MustCompile(`VmHWM:\s*(\d+)`).FindSubmatch(text)
	if err != nil || found == nil {
		b.Fatalf("no VmHWM: %v", err)
	}
	kb, _ := strconv.Atoi(string(found[1]))
	return float64(kb) / 1024
}

// spent is the processor time of a process, in ms.
func spent(b *testing.B, pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 15 {
		b.Fatalf("no times: %v", err)
	}
	user, _ := strconv.ParseFloat(fields[13], 64)
	system, _ := strconv.ParseFloat(fields[14], 64)
	return (user + system) * 10 // in hundredths of a second
}

func large(b *testing.B, n int) string {
	root := project(b)
	for from := 0; from < n; from += 5000 {
		var batch []handoff.Document
		for i := from; i < min(n, from+5000); i++ {
			at := today.Add(-time.Duration(n-i) * time.Minute)
			batch = append(batch, handoff.Document{From: "ann", To: []string{"ben", "cleo"}[i%2], Topic: fmt.Sprint("topic-", i), Time: at.Format(time.RFC3339), Body: strings.Repeat("The retries back off. ", 50)})
		}
		write(b, root, batch...)
	}
	return root
}
