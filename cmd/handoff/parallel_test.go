package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// 64 processes write at once, half of them under names that others use too, while readers look on: no
// process fails, nothing is lost or doubled, and no reader sees fewer handoffs than before.
func TestParallelProcesses(t *testing.T) {
	const processes, each = 64, 3
	root := t.TempDir()
	bin := filepath.Join(t.TempDir(), "handoff")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	settings := []byte("index_max_rows: 50\n")
	if err := os.WriteFile(filepath.Join(root, handoff.SettingsName), settings, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, Rules: schema.Frontmatter()})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() { watch(t, s, done) })
	var writers sync.WaitGroup
	for p := range processes {
		writers.Go(func() {
			for i := range each {
				topic := "shared"
				if p%2 == 0 {
					topic = fmt.Sprintf("own-%d", p)
				}
				cmd := exec.Command(bin, "write", "-", "--from", "ann", "--to", "ben", "--topic", topic, "--ts", "2026-05-07T12:00:00Z", "--lock-timeout", "2m")
				cmd.Dir, cmd.Stdin = root, strings.NewReader(fmt.Sprintf("body %d of %d\n", i, p))
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if err := cmd.Run(); err != nil {
					t.Errorf("process %d: %v: %s", p, err, stderr.String())
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	report, err := s.Verify(context.Background())
	if err != nil || report.Handoffs != processes*each || len(report.Faults)+len(report.Warnings) > 0 {
		t.Errorf("%d handoffs, want %d; %v %v, %v", report.Handoffs, processes*each, report.Faults, report.Warnings, err)
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
