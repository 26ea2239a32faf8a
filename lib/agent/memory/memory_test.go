package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
)

func note(t *testing.T, state string) memory.Note {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := memory.Read(state, "s-1")
	n.Where, n.Process, n.Renew, n.Files = "/p", "7@1@x", 12, map[string]string{}
	n.Stamp(file)
	n.Known = "b a"
	if err := n.Write(); err != nil {
		t.Fatal(err)
	}
	return n
}

// A note is read as it was written; a missing, cut or foreign one is empty, and so one that is no file.
func TestNote(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	n := note(t, state)
	got := memory.Read(state, "s-1")
	if got.Where != n.Where || got.Process != n.Process || got.Renew != 12 || got.Known != "b a" || len(got.Files) != 1 || got.Began == 0 {
		t.Errorf("%+v", got)
	}
	whole, err := os.ReadFile(n.Path())
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		if err := os.WriteFile(n.Path(), whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if cut := memory.Read(state, "s-1"); cut.Known+cut.Where+cut.Process != "" || !cut.MustTell("/p") {
			t.Errorf("cut at %d: %+v", at, cut)
		}
	}
	elsewhere, none := memory.Read(state, "../x"), memory.Read("", "s")
	if elsewhere.Path() != filepath.Join(state, "sessions", "___x") || none.Path() != "" {
		t.Error("a note lies elsewhere")
	}
}

// A session must hear only if a file has changed or it is elsewhere, and once in a minute.
func TestMustTell(t *testing.T) {
	t.Parallel()
	n := note(t, t.TempDir())
	file := ""
	for file = range n.Files {
	}
	if n.MustTell("/p") || !n.MustTell("/q") || !n.MustRenew() {
		t.Error("nothing has changed")
	}
	if err := os.WriteFile(file, []byte("ab"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !n.MustTell("/p") {
		t.Error("the file has changed")
	}
	for ago, want := range map[time.Duration]bool{0: false, 50 * time.Second: false, 70 * time.Second: true, -time.Hour: true} {
		if n.Told = time.Now().Add(-ago).Unix(); n.MustTell("/p") != want {
			t.Errorf("told %s ago: %v", ago, !want)
		}
	}
}

// Files that nobody has changed for 14 days go.
func TestOldNotesGo(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	n := note(t, state)
	old := time.Now().Add(-15 * 24 * time.Hour)
	if err := os.Chtimes(n.Path(), old, old); err != nil {
		t.Fatal(err)
	}
	if all := memory.Notes(state, n.Process); len(all) > 0 {
		t.Error(all)
	}
	if _, err := os.Stat(n.Path()); err == nil {
		t.Error("it is there")
	}
}

// The id of an agent is a name that a take accepts, or none.
func TestName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"a-B_9": "a-B_9", "a.b:c": "a-b-c", "": "", "../x": "", "a b": "", "é": "", "a\n": "", strings.Repeat("x", 129): ""} {
		if got := memory.Name(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
