package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fifty sessions resume the same packet at once, and some of them are killed: at most one can have
// succeeded, and when none says so, the log names a killed one.
func TestOneOfFiftyResumes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts 50 processes")
	}
	for _, killed := range []int{0, 25} {
		dir := t.TempDir()
		id := writePacket(t, dir)
		codes := make([]int, 50)
		var wg sync.WaitGroup
		for i := range codes {
			wg.Go(func() {
				codes[i] = process(handoffIn(t, dir, "resume", id, "--lock-timeout", "1h", "--operator", "ben", "--session", fmt.Sprint("s-", i)), lifetime(i, killed))
			})
		}
		wg.Wait()
		won := 0
		for i, code := range codes {
			switch {
			case code == 0:
				won++
			case code != 11 && i >= killed:
				t.Errorf("process %d exits with %d", i, code)
			}
		}
		if n := events(t, dir, "resume"); n != 1 {
			t.Errorf("the log has %d resumes, want 1", n)
		}
		if won > 1 || won == 0 && killed == 0 {
			t.Errorf("%d of 50 have resumed, %d of them killed", won, killed)
		}
		if out, err := handoffIn(t, dir, "verify").CombinedOutput(); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
	}
}

// Fifty sessions take the same handoff at once, and some of them are killed: at most one has it.
func TestOneOfFiftyTakes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts 50 processes")
	}
	for _, killed := range []int{0, 25} {
		dir := t.TempDir()
		id := writePacket(t, dir)
		for round := range 2 { // and again after it was given back
			codes := make([]int, 50)
			var wg sync.WaitGroup
			for i := range codes {
				wg.Go(func() {
					codes[i] = process(handoffIn(t, dir, "take", id, "--lock-timeout", "1h", "--operator", "ben", "--session", fmt.Sprint("s-", i)), lifetime(i, killed))
				})
			}
			wg.Wait()
			won := 0
			for i, code := range codes {
				switch {
				case code == 0:
					won++
				case code != 11 && i >= killed:
					t.Errorf("process %d exits with %d", i, code)
				}
			}
			if won > 1 || won == 0 && killed == 0 {
				t.Errorf("%d of 50 have taken it, %d of them killed", won, killed)
			}
			if n := events(t, dir, "take"); n != round+1 {
				t.Errorf("the log has %d takes, want %d", n, round+1)
			}
			if out, err := handoffIn(t, dir, "release", id, "--operator", "ben").CombinedOutput(); err != nil {
				t.Errorf("release: %v\n%s", err, out)
			}
		}
		if out, err := handoffIn(t, dir, "verify").CombinedOutput(); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
	}
}

func handoffIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(scripts.in(t), "handoff"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TEST_MACHINE=one", "HOME="+dir)
	return cmd
}

func writePacket(t *testing.T, dir string) string {
	t.Helper()
	packet := fmt.Sprintf(`{"objective": "Move the parser to strict JSON", "completed": ["Wrote the tokenizer"],
		"unresolved": ["The fuzz target fails on lone surrogates"], "assumptions": ["Input is UTF-8"],
		"next_action": "Handle lone surrogates in lib/parse/text.go", "risks": ["Older files may be refused"],
		"updated_at": %q, "resume_token": "parser-move-0001"}`, time.Now().UTC().Format(time.RFC3339))
	if err := os.WriteFile(filepath.Join(dir, ".handoff.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := handoffIn(t, dir, "write", "-", "--from", "ann", "--to", "ben", "--topic", "packet")
	cmd.Stdin = strings.NewReader(packet)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(string(out), `"handoff_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// events returns how many events of a type the log of a project has.
func events(t *testing.T, dir, kind string) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, ".run", "handoff-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(log, []byte(`"event_type":"handoff.`+kind+`"`))
}

// lifetime is after how long the i-th process is killed, zero if it is not: the first ones die at the start
// of the program, the others ever later in their work.
func lifetime(i, killed int) time.Duration {
	if i >= killed {
		return 0
	}
	return time.Duration(i+1) * 7 * time.Millisecond
}

// process runs a command, which is killed after its lifetime if it has one, and returns its exit code.
func process(cmd *exec.Cmd, lifetime time.Duration) int {
	if err := cmd.Start(); err != nil {
		return -1
	}
	if lifetime > 0 {
		time.AfterFunc(lifetime, func() { _ = cmd.Process.Kill() })
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		return exit.ExitCode()
	} else if err != nil {
		return -1
	}
	return 0
}
