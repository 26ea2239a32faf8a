//go:build linux

package tui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// many are handoffs of some weeks, of which three of five are to ben.
func many(n int) (all []handoff.Document) {
	for i := range n {
		names := [][2]string{{"ann", "ben"}, {"cleo", "ben"}, {"ben", "ann"}, {"build-agent-eu-west", "ben"}, {"ann", "cleo"}}[i%5]
		at := today.Add(-time.Duration(n-i) * 7 * time.Hour)
		title := fmt.Sprint("# Task ", i, strings.Repeat(" and more of it", i%7), "\n\n")
		all = append(all, handoff.Document{From: names[0], To: names[1], Topic: fmt.Sprint("topic-", i), Time: at.Format(time.RFC3339), Body: title + body})
	}
	return all
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
	s.settles(func() bool { return s.text() == string(kept) })
	if diff := cmp.Diff(string(kept), s.text()); diff != "" {
		s.Errorf("%s:\n%s", name, diff)
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	root, none := project(t, docs()...), project(t)
	for _, size := range [][2]int{{80, 24}, {120, 32}, {40, 12}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(at, func(t *testing.T) {
			s := start(t, size[0], size[1], root, "inbox", "--operator", "eve") // whose keys change nothing
			s.sees("Nothing waits for eve")
			s.press("\t\t")
			first := []string{"Unread 5"}
			if size[0] > 40 {
				first = append(first, "Where it stands")
			}
			s.shows("list-"+at, first...)
			s.press("\r")
			s.shows("open-"+at, "Where it stands", "ann → ben")
			s.press("\x1b")
			s.sees("enter read") // else escape and the next key are one
			s.press("?")
			s.shows("help-"+at, "read it, and mark")
			s.press("x/dmitri")
			s.shows("search-"+at, "1 of 5", "Old")
			s.press("zzz")
			s.shows("nothing-"+at, "Nothing matches dmitri")
			s.press("\x1b")
			s.sees("enter read")
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

// The board has the sections of the list as columns, or one of them where there is no room.
func TestBoard(t *testing.T) {
	t.Parallel()
	root := project(t, many(40)...)
	inAllStates(t, root)
	for _, size := range [][2]int{{80, 24}, {120, 32}, {40, 12}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(at, func(t *testing.T) {
			s := start(t, size[0], size[1], root, "inbox")
			s.sees("Unread 2")
			s.press("b")
			s.shows("board-"+at, "Unread", "Task 38")
			s.press("lj")
			s.shows("board-moved-"+at, "Taken", "Task ")
			s.press("\r")
			s.sees("taken by ben", "q back")
			s.quits()
		})
	}
}

// inAllStates has ben do with his handoffs what can be done.
func inAllStates(t *testing.T, root string) {
	s := open(t, root)
	entries, err := s.List(handoff.Filter{To: "ben"})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries[20:] {
		acts := []handoff.Act{handoff.ActTake, handoff.ActDone, handoff.ActArchive}
		if i%3 == 1 {
			_, err = s.MarkRead(t.Context(), "ben", e.ID)
		} else if i%7 < len(acts) {
			_, err = s.Act(t.Context(), acts[i%7], e.ID, handoff.Who{Operator: "ben"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Colors are there, and not where nobody wants them.
func TestColors(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	for env, want := range map[string]bool{"NO_COLOR=": true, "NO_COLOR=1": false} {
		s := startCommand(t, 80, 24, root, []string{env}, self(t), "inbox")
		s.sees("Where it stands")
		if got := s.screen.isColored(); got != want {
			t.Errorf("%s: colors %v", env, got)
		}
		s.quits()
	}
}

// Without a command a person at a terminal in a project gets the inbox.
func TestBare(t *testing.T) {
	t.Parallel()
	s := startCommand(t, 80, 24, project(t, docs()...), nil, self(t))
	s.sees("Unread 3", "Where it stands")
	s.press("\x03")
	if code := s.leaves(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s = startCommand(t, 80, 40, t.TempDir(), nil, self(t))
	s.sees("handoff help all")
	if code := s.leaves(); code != 0 {
		t.Errorf("outside of a project: exit code %d", code)
	}
}

// Where there is no screen the inbox says what there is in its place.
func TestNoScreen(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	s := startCommand(t, 80, 24, root, []string{"TERM=dumb"}, self(t), "inbox")
	s.sees("run `handoff list`")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	s = startCommand(t, 80, 24, root, nil, "sh", "-c", `"$0" inbox </dev/null`, self(t))
	s.sees("the inbox needs a terminal")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
