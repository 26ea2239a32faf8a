//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A sync that is stopped while its remote is silent leaves nothing behind that keeps the next one out.
func TestStoppedSync(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer silent.Close()
	root := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	program, hub := filepath.Join(released.in(t), "handoff"), filepath.Join(t.TempDir(), "hub.git")
	run("git", "init", "-q")
	run("git", "init", "-q", "--bare", hub)
	run("git", "remote", "add", "origin", hub)
	run("git", "remote", "add", "silent", "git://"+silent.Addr().String()+"/hub.git")
	run(program, "init", "-q")
	for _, end := range endingSignals() {
		var said bytes.Buffer
		cmd := exec.Command(program, "sync", "--remote", "silent")
		cmd.Dir, cmd.Stderr = root, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		asked, err := silent.Accept() // it waits for an answer now
		if err != nil {
			t.Fatal(err)
		}
		defer asked.Close()
		if err := cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); !diedOf(cmd, end) || !strings.Contains(said.String(), "the exchange was stopped") {
			t.Errorf("%v: %v\n%s", end, err, said.String())
		}
		run(program, "sync", "--lock-timeout", "5m") // what was killed may take a moment to end, what was left would never
	}
}

// endingSignals returns the signals that end a command, without those that this process ignores, such as under nohup: its
// children ignore them too.
func endingSignals() []syscall.Signal {
	return slices.DeleteFunc([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP},
		func(s syscall.Signal) bool { return signal.Ignored(s) })
}

func diedOf(cmd *exec.Cmd, signal syscall.Signal) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == signal
}

// hasOpen reports whether a process has a file open, or has ended, or cannot be looked into.
func hasOpen(pid int, path string) bool {
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	names, err := os.ReadDir(dir)
	isOpen := func(e os.DirEntry) bool {
		to, _ := os.Readlink(dir + e.Name())
		return to == path
	}
	return err != nil || len(names) == 0 || slices.ContainsFunc(names, isOpen)
}

// A command that waits for the lock dies of the signal that ends it, and has changed nothing.
func TestStoppedWaiter(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	program, state := filepath.Join(released.in(t), "handoff"), t.TempDir()
	handoff := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "HOME="+root, "XDG_STATE_HOME="+state)
		return cmd
	}
	if out, err := handoff("init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write := handoff("write", "-", "--from", "ann", "--to", "ben", "--topic", "x", "-q")
	write.Stdin = strings.NewReader("One.\n")
	if out, err := write.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lock, err := os.Open(filepath.Join(root, "handoffs/.INDEX.md.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, end := range endingSignals() {
		var said bytes.Buffer
		cmd := handoff("take", "@", "--operator", "ben", "--lock-timeout", "60s")
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !hasOpen(cmd.Process.Pid, lock.Name()) { // where that cannot be seen, the signal ends it as well
		}
		if err := cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); !diedOf(cmd, end) {
			t.Errorf("%v: %v\n%s", end, err, said.String())
		}
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if out, err := handoff("take", "@", "--operator", "ben").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
