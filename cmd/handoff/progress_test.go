//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"
)

// onTerminal runs a program with a terminal of that width, 0 if it is unknown, as its standard error and returns what each stream got.
func onTerminal(t *testing.T, columns uint16, dir, program string, args ...string) (stdout, screen string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer master.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	var out, seen bytes.Buffer
	read := make(chan bool)
	go func() { _, _ = io.Copy(&seen, master); close(read) }() // fails when nobody has the terminal any more
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, slave
	err = cmd.Run()
	slave.Close()
	<-read
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, seen.String())
	}
	return out.String(), seen.String()
}

// Progress is shown on a terminal, for long commands, and nowhere else.
func TestProgress(t *testing.T) {
	t.Parallel()
	bin, root := filepath.Join(released.in(t), "handoff"), t.TempDir()
	put := func(n int) {
		for i := range n {
			text := fmt.Sprintf("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: n%d-%d\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody\n", n, i)
			if err := os.MkdirAll(filepath.Join(root, fmt.Sprint("in", n)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, fmt.Sprint("in", n), fmt.Sprint(i, ".md")), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(200 - 1)
	put(200)
	for _, test := range []struct {
		columns uint16
		args    string
		shows   []string
	}{
		{0, "write in199 --root .", nil},
		{0, "write in200 --root .", []string{"storing", "/200)"}},
		{0, "verify --root .", []string{"verifying", "/399)", "399 handoffs"}},
		{60, "verify --root .", []string{"verifying", "/399)"}},
		{20, "verify --root .", nil},
		{0, "verify --root . --quiet", nil},
		{0, "verify --root . --repair", []string{"verifying", "/399)"}},
	} {
		stdout, screen := onTerminal(t, test.columns, root, bin, strings.Fields(test.args)...)
		for _, want := range test.shows {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q in %q", test.args, want, screen)
			}
		}
		if strings.Contains(screen, "%") != (test.shows != nil) || strings.Contains(stdout, "%") {
			t.Errorf("%s: %q", test.args, screen)
		}
		for line := range strings.SplitSeq(screen, "\r") {
			if width := utf8.RuneCountInString(line); strings.Contains(line, "%") && test.columns > 0 && width >= int(test.columns) {
				t.Errorf("%s: %d columns on a terminal of %d: %q", test.args, width, test.columns, line)
			}
		}
	}
	cmd := exec.Command(bin, "verify", "--root", ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil || strings.ContainsAny(string(out), "%\r\x1b") {
		t.Errorf("to a pipe: %q, %v", out, err)
	}
}
