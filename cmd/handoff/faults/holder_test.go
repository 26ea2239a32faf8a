//go:build linux

package faults_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopped starts a command that stops after the first system call whose trace matches, with the lock held. It
// returns how to let it go on and what it said then.
func (p program) stopped(t *testing.T, dir string, at string, command ...string) (goOn func() result) {
	t.Helper()
	name, n, err := p.findCall(dir, at, command)
	if err != nil {
		t.Fatal(err)
	}
	pipe := dir + ".stopped"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	trace, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close(); os.Remove(pipe) })
	cmd := exec.Command("strace", append([]string{"-qq", "-o", pipe, "-e", fmt.Sprintf("inject=%s:signal=STOP:when=%d", name, n), "-e", "trace=" + name, p.bin}, command...)...)
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr, cmd.WaitDelay, cmd.Env = dir, &stderr, time.Minute, quiet(dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const end = "+++ the end\n" // of the trace: no reader of the pipe finds another one, since the test has it open too
	ended := make(chan bool)
	go func() {
		_ = cmd.Wait()
		_, _ = io.WriteString(trace, end)
		close(ended)
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	var said strings.Builder
	lines := bufio.NewReader(trace)
	for line := ""; !strings.Contains(line, "stopped by SIGSTOP"); said.WriteString(line) {
		if line, err = lines.ReadString('\n'); err != nil || line == end {
			t.Fatalf("%v ended without a stop at call %d of %s: %v\n%s\n%s", command, n, name, err, said.String(), stderr.String())
		}
	}
	go io.Copy(io.Discard, lines)
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

// newStore makes a store with the documents a, b and c.
func newStore(t *testing.T) (program, string) {
	t.Helper()
	p := program{build(t), memory(t)}
	return p, p.store(t, scenario{prepare: [][]string{words("write in/a.md in/b.md in/c.md")}})
}

func expectClean(t *testing.T, p program, dir string, topics string) {
	t.Helper()
	now := look(dir)
	for _, f := range now.clean() {
		t.Error(f)
	}
	for _, topic := range words(topics) {
		if now.rows[idOf(topic)] == "" {
			t.Errorf("%s is not there", topic)
		}
	}
	if verify := p.handoff(dir, "verify"); verify.code != 0 {
		t.Errorf("verify has exit code %d: %s", verify.code, verify.stderr)
	}
}

// While the holder of the lock is stopped in the middle of a change, readers read and writers give up in
// time. Then it goes on as if nothing had been.
func TestStoppedHolder(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	for at, shown := range map[string]int{beforeRecord: 4, `openat\(.*"\.tmp-`: 3, beforeBodies: 4, beforeTable: 4, beforeEvent: 4} {
		p, dir := newStore(t)
		goOn := p.stopped(t, dir, at, "write", "d.md")
		if r := p.handoff(dir, "write", "e.md", "--lock-timeout", "300ms"); r.code != 4 || r.stdout != "" || !strings.Contains(r.stderr, "hint: ") {
			t.Errorf("%s: a writer has exit code %d: %s", at, r.code, r.stderr)
		}
		if r := p.handoff(dir, "mark-read", idOf("a"), "ben", "--lock-timeout", "0s"); r.code != 4 {
			t.Errorf("%s: a marker has exit code %d: %s", at, r.code, r.stderr)
		}
		if r := p.handoff(dir, "list", "--format", "ids"); r.code != 0 || strings.Count(r.stdout, "\n") != shown { // what is recorded is shown
			t.Errorf("%s: a reader has exit code %d: %s%s", at, r.code, r.stdout, r.stderr)
		}
		if r := goOn(); r.code != 0 {
			t.Errorf("%s: the holder has exit code %d: %s", at, r.code, r.stderr)
		}
		expectClean(t, p, dir, "a b c d")
	}
}

// When somebody removes the lock file below a stopped holder, the directories are still locked. The holder finds the
// removal out if it comes before the commit, and neither loses anything of the other.
func TestRemovedLock(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p, dir := newStore(t)
	kept, err := p.kept(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for at, code := range map[string]int{`fallocate\(`: 4, beforeRecord: 0, beforeSync: 0, beforeBodies: 0, beforeTable: 0, beforeEvent: 0} {
		if err := putBack(filepath.Dir(dir), kept); err != nil {
			t.Fatal(err)
		}
		goOn := p.stopped(t, dir, at, "write", "d.md")
		if err := os.Remove(filepath.Join(dir, "handoffs", ".INDEX.md.lock")); err != nil {
			t.Fatal(err)
		}
		if r := p.handoff(dir, "write", "e.md", "--lock-timeout", "300ms"); r.code != 4 || !strings.Contains(r.stderr, "gave up after") {
			t.Errorf("%s: the next writer has exit code %d: %s", at, r.code, r.stderr)
		}
		if r := goOn(); r.code != code || code == 4 && !strings.Contains(r.stderr, "was removed while it was held") {
			t.Errorf("%s: the holder has exit code %d: %s", at, r.code, r.stderr)
		}
		for _, doc := range words("d.md e.md") {
			if r := p.handoff(dir, "write", doc); r.code != 0 {
				t.Errorf("%s: the repeat has exit code %d: %s", at, r.code, r.stderr)
			}
		}
		expectClean(t, p, dir, "a b c d e")
	}
}

// Two stores may come to have their state directory in common. Then they wait for each other too.
func TestSharedState(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p, dir := newStore(t)
	goOn := p.stopped(t, dir, beforeEvent, "write", "d.md")
	other := []string{"--handoffs-dir", filepath.Join(dir, "other"), "--state-dir", filepath.Join(dir, ".run")}
	if err := os.Mkdir(other[1], 0o755); err != nil {
		t.Fatal(err)
	}
	if r := p.handoff(dir, append(words("write e.md --lock-timeout 300ms"), other...)...); r.code != 4 {
		t.Errorf("the other store has exit code %d: %s", r.code, r.stderr)
	}
	if r := goOn(); r.code != 0 {
		t.Errorf("the holder has exit code %d: %s", r.code, r.stderr)
	}
	expectClean(t, p, dir, "a b c d")
}
