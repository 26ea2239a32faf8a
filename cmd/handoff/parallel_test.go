package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// Many processes write at once, half of them under names that others use too, while readers look on: no
// process fails, nothing is lost or doubled, none waits longer for the lock than it may, and no reader
// sees fewer handoffs than before.
func TestParallelProcesses(t *testing.T) {
	t.Parallel()
	each := 3
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		each = 20
	}
	bin := filepath.Join(released.in(t), "handoff")
	t.Run("4 with 25 writes", func(t *testing.T) { crowd{bin, t.TempDir(), 4, 25}.write(t) })
	t.Run("64 while readers look on", func(t *testing.T) {
		c := crowd{bin, t.TempDir(), 64, each}
		done := make(chan struct{})
		var readers sync.WaitGroup
		readers.Go(func() { watch(t, c.store(t), done) })
		c.write(t)
		close(done)
		readers.Wait()
	})
}

// A crowd is a number of processes that write a number of handoffs each.
type crowd struct {
	bin, root       string
	processes, each int
}

func (c crowd) store(t *testing.T) *handoff.Store {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.root, handoff.SettingsName), []byte("index_max_rows: 50\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(c.root, "handoffs"), StateDir: filepath.Join(c.root, ".run"), Root: c.root, UserState: filepath.Join(c.root+".state", "handoff"), Rules: schema.Frontmatter()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c crowd) write(t *testing.T) {
	t.Helper()
	s := c.store(t)
	var writers sync.WaitGroup
	longest := make([]time.Duration, c.processes)
	begin := time.Now()
	for p := range c.processes {
		writers.Go(func() {
			for i := range c.each {
				since := time.Now()
				c.one(t, p, i)
				longest[p] = max(longest[p], time.Since(since))
			}
		})
	}
	writers.Wait()
	all := c.processes * c.each
	t.Logf("%d writes by %d processes: %.0f a second, the longest took %v", all, c.processes, float64(all)/time.Since(begin).Seconds(), slices.Max(longest))
	report, err := s.Verify(context.Background())
	if err != nil || report.Handoffs != all || len(report.Faults)+len(report.Warnings) > 0 {
		t.Errorf("%d handoffs, want %d; %v %v, %v", report.Handoffs, all, report.Faults, report.Warnings, err)
	}
}

func (c crowd) one(t *testing.T, p, i int) {
	topic := fmt.Sprintf("shared-%d", i)
	if p%2 == 0 {
		topic = fmt.Sprintf("own-%d-%d", p, i)
	}
	cmd := exec.Command(c.bin, "write", "-", "--from", "ann", "--to", "ben", "--topic", topic, "--ts", "2026-05-07T12:00:00Z")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+c.root+".state")
	cmd.Dir, cmd.Stdin = c.root, strings.NewReader(fmt.Sprintf("body %d of %d\n", i, p))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("process %d: %v: %s", p, err, stderr.String())
	}
}

func watch(t *testing.T, s *handoff.Store, done chan struct{}) {
	most := 0
	for {
		entries, err := s.List(handoff.Filter{})
		if err != nil {
			t.Error(err)
		}
		if len(entries) < most {
			t.Errorf("a reader saw %d handoffs after %d", len(entries), most)
		}
		most = max(most, len(entries))
		if len(entries) > 0 {
			if _, err := s.Read(entries[len(entries)-1].ID); err != nil {
				t.Errorf("a listed handoff cannot be read: %v", err)
			}
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
