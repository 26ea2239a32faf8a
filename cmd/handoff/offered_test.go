//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// session runs the hook for a session of ben and returns what it prints.
func session(t *testing.T, bin, root, id string) string {
	t.Helper()
	cmd := exec.Command(bin, "hook", "session-start", "--agent", "claude", "--to", "ben")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(`{"session_id":"`+id+`","source":"startup"}`)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+root+".state")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 || !strings.Contains(string(out), "1 unread handoff for ben") {
		t.Errorf("%s: %v, %q, %q", id, err, out, stderr.String())
	}
	return string(out)
}

func offers(t *testing.T, root string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".run", "offered.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// Every session is recorded once, and told the same.
func TestOffers(t *testing.T) {
	t.Parallel()
	root, bin := hookProject(t), filepath.Join(released.in(t), "handoff")
	first := session(t, bin, root, "one")
	if n := offers(t, root); n != 1 {
		t.Errorf("%d offers after the first session", n)
	}
	for i, id := range []string{"one", "two", "", "\\u001b[2J", strings.Repeat("x", 200)} {
		if out := session(t, bin, root, id); out != first {
			t.Errorf("session %d was told %q, the first one %q", i, out, first)
		}
	}
	if n := offers(t, root); n != 3 {
		t.Errorf("%d offers to two sessions and one without an id", n)
	}
	text, err := os.ReadFile(filepath.Join(root, ".run", "offered.jsonl"))
	if err != nil || strings.Contains(string(text), "u001b") || strings.Contains(string(text), "xxx") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Where nothing can be recorded at once, sessions are told all the same.
func TestOffersThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(released.in(t), "handoff")
	path := func(root, name string) string { return filepath.Join(root, ".run", name) }
	tests := map[string]func(root string) error{
		"state cannot be written": func(root string) error { return os.Chmod(path(root, ""), 0o500) },
		"a directory is there":    func(root string) error { return os.Mkdir(path(root, "offered.jsonl"), 0o700) },
		"a FIFO is there":         func(root string) error { return syscall.Mkfifo(path(root, "offered.jsonl"), 0o600) },
		"a symbolic link is there": func(root string) error {
			return os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path(root, "offered.jsonl"))
		},
		"a journal that is none": func(root string) error { return os.WriteFile(path(root, "journal"), []byte("x"), 0o600) },
		"another machine": func(root string) error {
			return os.WriteFile(path(root, "machine-fingerprint"), []byte(`{"fingerprint":"`+strings.Repeat("0", 64)+`"}`), 0o600)
		},
		"no state": func(root string) error { return os.RemoveAll(path(root, "")) },
		"a holder of the lock that never lets go": func(root string) error {
			f, err := os.OpenFile(filepath.Join(root, "handoffs", ".INDEX.md.lock"), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			t.Cleanup(func() { f.Close() })
			return syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		},
		"a FIFO as lock": func(root string) error {
			lock := filepath.Join(root, "handoffs", ".INDEX.md.lock")
			if err := os.Remove(lock); err != nil {
				return err
			}
			return syscall.Mkfifo(lock, 0o600)
		},
	}
	for name, spoil := range tests {
		root := hookProject(t)
		if name == "state cannot be written" && os.Geteuid() == 0 {
			continue // root can
		}
		if err := spoil(root); err != nil {
			t.Fatal(err)
		}
		session(t, bin, root, "one")
		if info, err := os.Stat(path(root, "offered.jsonl")); err == nil && info.Mode().IsRegular() {
			t.Errorf("%s: an offer was recorded", name)
		}
	}
}
