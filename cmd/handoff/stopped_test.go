//go:build unix

package main

import (
	"bytes"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A sync that is stopped while its remote is silent leaves nothing behind that keeps the next one out.
func TestStoppedSync(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer silent.Close()
	bin, root := t.TempDir(), t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	if out, err := exec.Command("go", "build", "-o", bin+"/", ".", "../handoff-full").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, hub := filepath.Join(bin, "handoff"), filepath.Join(t.TempDir(), "hub.git")
	run("git", "init", "-q")
	run("git", "init", "-q", "--bare", hub)
	run("git", "remote", "add", "origin", hub)
	run("git", "remote", "add", "silent", "git://"+silent.Addr().String()+"/hub.git")
	run(program, "init", "-q")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
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
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "the exchange was stopped") {
			t.Errorf("%v: %v\n%s", signal, err, said.String())
		}
		run(program, "sync", "--lock-timeout", "1ms")
	}
}
