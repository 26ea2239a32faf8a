package heard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
)

// open returns the locked memory of a heard.
func open(t *testing.T, state, id string) heard.Memory {
	t.Helper()
	m := heard.Remember(state, "claude", id)
	if err := m.Make(); err != nil {
		t.Fatal(err)
	}
	return m
}

// What a session has heard is there again for the same session and agent alone.
func TestMemoryIsOfOneSession(t *testing.T) {
	state := t.TempDir()
	m := open(t, state, "s-1")
	m.Learn([]string{"b", "a"})
	m.Told = time.Now()
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	again := heard.Remember(state, "claude", "s-1")
	if again.Known != "b a" || !again.IsQuiet() {
		t.Errorf("%+v", again.Note)
	}
	for _, other := range []heard.Memory{heard.Remember(state, "codex", "s-1"),
		heard.Remember(state, "claude", "s-2")} {
		if other.Known != "" || other.IsQuiet() {
			t.Errorf("%+v", other.Note)
		}
	}
	for _, none := range []heard.Memory{heard.Remember("", "claude", "s-1"), heard.Remember(state, "claude", "")} {
		if none.HasPlace() {
			t.Error("a memory without a place")
		}
	}
}

// A note that is damaged, or is no file, counts as missing.
func TestDamagedMemory(t *testing.T) {
	state := t.TempDir()
	m := open(t, state, "s-1")
	m.Learn([]string{"a"})
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	notes, err := filepath.Glob(filepath.Join(state, "heard/*/note"))
	if err != nil || len(notes) != 1 {
		t.Fatal(notes, err)
	}
	for name, spoil := range map[string]func(path string) error{
		"cut":         func(path string) error { return os.Truncate(path, 9) },
		"too large":   func(path string) error { return os.Truncate(path, 2<<20) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":      func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		text := "/project\n2026-05-07T12:00:00Z\n\na\ns-1\n\nend"
		if strings.HasPrefix(name, "a ") {
			err = os.RemoveAll(notes[0])
		} else {
			err = os.RemoveAll(notes[0])
			if err == nil {
				err = os.WriteFile(notes[0], []byte(text), 0o600)
			}
		}
		if err == nil {
			err = spoil(notes[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := heard.Remember(state, "claude", "s-1"); got.Known != "" {
			t.Errorf("%s: %+v", name, got.Note)
		}
	}
}

// The newest ids come first, each once, and the oldest are forgotten.
func TestLearn(t *testing.T) {
	var m heard.Memory
	m.Learn([]string{"2", "1"})
	m.Learn([]string{"4", "2", "3"})
	if m.Known != "4 2 3 1" {
		t.Error(m.Known)
	}
	var many []string
	for n := range 5000 {
		many = append(many, fmt.Sprint(n))
	}
	m.Learn(many)
	if all := strings.Fields(m.Known); len(all) != 4000 || all[0] != "0" || all[3999] != "3999" {
		t.Error(len(all), all[0])
	}
}

// The store is opened only if something may have arrived, or a lease must be renewed; for a minute after an
// announcement only for a lease.
func TestMustLook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "handoff-events.jsonl")
	var m heard.Memory
	if !m.MustLook(dir) {
		t.Error("nothing is known yet")
	}
	m.Stamp(dir, []string{file})
	if m.MustLook(dir) || !m.MustLook("/elsewhere") {
		t.Error("nothing has arrived here")
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !m.MustLook(dir) {
		t.Error("a file is new")
	}
	m.Told = time.Now()
	if m.MustLook(dir) {
		t.Error("it was told just now")
	}
	m.Told = time.Now().Add(time.Hour) // the clock went back
	if !m.MustLook(dir) {
		t.Error("the last announcement lies in the future")
	}
	m.Told, m.Renew = time.Now(), time.Now().Add(-time.Second)
	if !m.MustLook(dir) {
		t.Error("a lease must be renewed")
	}
}

// The process of a session is known to who asks for the session, whichever agent runs it.
func TestProcesses(t *testing.T) {
	state := t.TempDir()
	m := open(t, state, "s-1")
	m.Process = "7@1@x"
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	other := open(t, state, "s-2")
	if err := other.Save(); err != nil {
		t.Fatal(err)
	}
	if got := heard.Processes(state, "s-1"); len(got) != 1 || got[0] != "7@1@x" {
		t.Error(got)
	}
	if got := append(heard.Processes(state, "s-2"), heard.Processes(state, "")...); got != nil {
		t.Error(got)
	}
}
