//go:build linux

package disk_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A process runs until it ends. One of another namespace cannot be judged, until the system was started again.
func TestRuns(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name := disk.Process(cmd.Process.Pid)
	if !disk.Runs(name) {
		t.Errorf("%s does not run", name)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexByte(name, '/')
	for _, test := range []struct {
		what, name string
		runs       bool
	}{
		{"ended", name, false},
		{"ended, of another namespace", name[:at] + "/1", true},
		{"of another namespace, before the system was started", strings.Replace(name[:at]+"/1", "-", "0", 1), false},
		{"nothing", "", false},
		{"no number", "x@1@", false},
		{"another process of that number", strings.Replace(disk.Process(os.Getpid()), "@", "@1", 1), false},
	} {
		if got := disk.Runs(test.name); got != test.runs {
			t.Errorf("%s, %q: runs %v, not %v", test.what, test.name, got, test.runs)
		}
	}
}

// A hook that a shell runs belongs to the process that started the shell.
func TestBehindShell(t *testing.T) {
	cmd := exec.Command("sh", "-c", "cat; true")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got := disk.BehindShell(cmd.Process.Pid); got != os.Getpid() {
		t.Errorf("behind the shell is %d, not %d", got, os.Getpid())
	}
	if got := disk.BehindShell(os.Getpid()); got != os.Getpid() {
		t.Errorf("behind no shell is %d, not %d", got, os.Getpid())
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
