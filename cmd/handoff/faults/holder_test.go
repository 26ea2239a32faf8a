//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stop starts a command that stops itself behind the last call whose trace matches, and returns how to let it go on.
func (s site) stop(t *testing.T, at string, command ...string) (goOn func() result) {
	t.Helper()
	tr, err := s.calls(s.dir, command)
	if err == nil {
		err = s.reset()
	}
	if err != nil {
		t.Fatal(err)
	}
	injection := strings.Replace(tr.find(at), ":", ":signal=STOP:", 1)
	out := s.root + ".stopped"
	os.Remove(out)
	name, _, _ := strings.Cut(injection, ":")
	cmd := exec.Command("strace", append([]string{"-f", "-qq", "-o", out, "-e", "inject=" + injection, "-e",
		"trace=" + name, s.bin}, command...)...)
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr, cmd.Env = s.dir, &stderr, append(environ(s.dir), "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for said := ""; !strings.Contains(said, "stopped by SIGSTOP"); time.Sleep(time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("%v ended without a stop at %s", command, injection)
		default:
		}
		text, _ := os.ReadFile(out)
		said = string(text)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	pid, numErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || numErr != nil {
		t.Fatal(err, numErr)
	}
	return func() result {
		syscall.Kill(pid, syscall.SIGCONT)
		<-ended
		return result{code: cmd.ProcessState.ExitCode(), stderr: stderr.String()}
	}
}

// While the holder of the lock is stopped in the middle of a change, readers read, and writers give up in time. Then it
// goes on as if nothing had been. A lock file that is removed meanwhile is made again by the next command.
func TestStoppedHolder(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	s := newSweep(t, build(t, ""), scenarioOf("write"))
	for at, shown := range map[string]int{atLink: 3, atLines: 4, atSync: 4, atTable: 4} {
		if err := s.reset(); err != nil {
			t.Fatal(err)
		}
		goOn := s.stop(t, at, s.command...)
		if r := s.run("write", "e.md", "--lock-timeout", "300ms"); r.code != 4 || r.stdout != "" ||
			!strings.Contains(r.stderr, "hint: ") {
			t.Errorf("%s: a writer has exit code %d: %s", at, r.code, r.stderr)
		}
		if r := s.run("list", "--all", "--format", "ids"); r.code != 0 || strings.Count(r.stdout, "\n") != shown {
			t.Errorf("%s: a reader has exit code %d: %s%s", at, r.code, r.stdout, r.stderr)
		}
		if r := goOn(); r.code != 0 {
			t.Errorf("%s: the holder has exit code %d: %s", at, r.code, r.stderr)
		}
		if err := os.Remove(filepath.Join(s.dir, "handoffs", ".INDEX.md.lock")); err != nil {
			t.Error(err)
		}
		for _, f := range append(s.after(look(s.dir), result{}), s.repeat(result{})...) {
			t.Errorf("%s: %s", at, f)
		}
	}
}
