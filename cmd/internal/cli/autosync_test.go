//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A background sync leaves no zombie in a program that goes on, such as watch.
func TestSyncIsReaped(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho $$ >new && mv new pid\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var p handoff.Project
	p.Root, p.User.Sync.Value, p.Options.Git = dir, handoff.SyncAuto, handoff.GitSynced
	(&App{Env: Env{Executable: func() (string, error) { return program, nil }}}).SyncByItself(p)
	for {
		text, _ := os.ReadFile(filepath.Join(dir, "pid")) // not yet there
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
