//go:build linux

package inbox_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

var update = flag.Bool("update", false, "write golden files")

const body = `# Where it stands

The **retries** back off since ` + "`1f3c2aa`" + `; see [the design](https://example.org/design).
漢字も読める 👍 e` + "\u0301" + `.

- the cache is cold
- [x] limits are set

## What to do next

1. Warm the cache with one build of ` + "`main`" + `.
2. Tell cleo, who waits for it.

> Beware of the slow first build: it takes a quarter of an hour on a cold cache and looks as if it hung.
`

func docs() []handoff.Document {
	return []handoff.Document{
		{From: "ann", To: "ben", Topic: "retry-policy", Time: "2026-11-22T06:30:00Z", Body: body, Tags: []string{"infra", "q4"}},
		{From: "cleo", To: "ben", Topic: "flaky-tests", Time: "2026-11-21T16:00:00Z", Body: "Three tests fail **now and then**.\n"},
		{From: "ben", To: "ann", Topic: "release-notes", Time: "2026-11-19T09:00:00Z", Body: "They are in.\n"},
		{From: "ann", To: "cleo", Topic: "billing-export", Time: "2026-11-02T09:00:00Z", Body: "Half of it works.\n"},
		{From: "dmitri", To: "ben", Topic: "a-very-long-topic-that-does-not-fit-into-the-column-that-a-narrow-terminal-has", Time: "2026-05-07T12:00:00Z", Body: "Old.\n"},
	}
}

// shows waits for the screen that is kept under a name. With -update it keeps the one that there is.
func (s *session) shows(name string, want ...string) {
	s.Helper()
	path := filepath.Join("../../../testdata/inbox", name+".txt")
	if *update {
		s.sees(want...)
		time.Sleep(500 * time.Millisecond)
		if err := os.WriteFile(path, []byte(s.text()), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	for end := time.Now().Add(deadline); s.text() != string(kept) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if diff := cmp.Diff(string(kept), s.text()); diff != "" {
		s.Errorf("%s:\n%s", name, diff)
	}
}

func TestScreens(t *testing.T) {
	root, none := project(t, docs()...), project(t)
	for _, size := range [][2]int{{80, 24}, {160, 50}, {40, 12}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(at, func(t *testing.T) {
			s := start(t, size[0], size[1], root, "inbox")
			var now, then []string // bodies
			first := []string{"Inbox 3", "retry-policy"}
			if size[0] > 40 {
				first = append(first, "Where it stands")
				now, then = []string{"They are in."}, []string{"fail now and then"}
			}
			s.shows("list-"+at, first...)
			s.press("\r")
			s.shows("open-"+at, "Where it stands", "ann → ben")
			s.press("\x1b")
			s.sees("enter open") // else escape and the next key are one
			s.press("?")
			s.shows("help-"+at, "open, and back")
			s.press("x\t\t")
			s.shows("all-"+at, append(now, "All 5", "billing")...)
			s.press("/flaky")
			s.shows("filter-"+at, append(then, "/flaky", "1 of 5")...)
			s.press("zzz")
			s.shows("nothing-"+at, "Nothing here matches flakyzzz.")
			s.press("\x1b")
			s.sees("enter open")
			s.press("q")
			s.leaves()
		})
	}
	s := start(t, 80, 24, none, "inbox")
	s.shows("empty-80x24", "There are no handoffs yet")
	s.press("q")
	if code := s.leaves(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Without a command a person at a terminal in a project gets the inbox, from the fast program too if the whole one is there.
func TestBare(t *testing.T) {
	root, bin := project(t, docs()...), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	fast, full := filepath.Join(bin, "handoff"), filepath.Join(bin, "handoff-full")
	if err := os.WriteFile(full, text, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(full, fast); err != nil {
		t.Skipf("no links: %v", err)
	}
	for _, program := range []string{full, fast} {
		s := startCommand(t, 80, 24, root, nil, program)
		s.sees("Inbox 3", "Where it stands")
		s.press("\x03")
		if code := s.leaves(); code != 0 {
			t.Errorf("%s: exit code %d", program, code)
		}
	}
	for what, dir := range map[string]string{"outside of a project": t.TempDir(), "without the whole program": root} {
		if dir == root {
			if err := os.Remove(full); err != nil {
				t.Fatal(err)
			}
		}
		s := startCommand(t, 80, 40, dir, nil, fast)
		s.sees("handoff help all")
		if code := s.leaves(); code != 0 {
			t.Errorf("%s: exit code %d", what, code)
		}
	}
}

// Where there is no screen the inbox says what there is in its place.
func TestNoScreen(t *testing.T) {
	root := project(t, docs()...)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, 80, 24, root, []string{"TERM=dumb"}, self, "inbox")
	s.sees("`handoff list` prints handoffs anywhere")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	s = startCommand(t, 80, 24, root, nil, "sh", "-c", `"$0" inbox </dev/null`, self)
	s.sees("the inbox needs a terminal")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
