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
func TestIsGone(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name := disk.Process(cmd.Process.Pid)
	if !disk.IsAlive(name) || disk.IsGone(name) {
		t.Errorf("%s does not run", name)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexByte(name, '/')
	for _, test := range []struct {
		what, name string
		gone       bool
	}{
		{"ended", name, true},
		{"ended, of another namespace", name[:at] + "/1", false},
		{"of another namespace, before the system was started", strings.Replace(name[:at]+"/1", "-", "0", 1), true},
		{"nothing", "", false},
		{"no number", "x@1@", false},
		{"another process of that number", strings.Replace(disk.Process(os.Getpid()), "@", "@1", 1), true},
	} {
		if disk.IsGone(test.name) != test.gone || disk.IsAlive(test.name) {
			t.Errorf("%s, %q: gone %v", test.what, test.name, !test.gone)
		}
	}
}

// The ancestors of a process begin with itself, and each has its program and command line.
func TestAncestors(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo; cat; true")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // until then it can be without a command line
		t.Fatal(err)
	}
	all, _ := disk.Ancestors(cmd.Process.Pid)
	if len(all) < 2 || all[0].Args[0] != "sh" || all[1].PID != os.Getpid() ||
		all[1].Process != disk.Process(os.Getpid()) {
		t.Errorf("%+v", all)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
