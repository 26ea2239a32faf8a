//go:build linux

package tui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	s.keeps(name+".txt", (*vt).String, want...)
}

// showsColours is shows with the colours and marks, as a terminal gets them.
func (s *session) showsColours(name string, want ...string) {
	s.Helper()
	s.keeps(name+".ansi", (*vt).colours, want...)
}

func (s *session) keeps(name string, of func(*vt) string, want ...string) {
	s.Helper()
	screen := func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return of(s.screen)
	}
	path := filepath.Join("../../../testdata/inbox", name)
	if *update {
		s.sees(want...)
		time.Sleep(500 * time.Millisecond)
		if err := os.WriteFile(path, []byte(screen()), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	s.settles(func() bool { return screen() == string(kept) })
	if diff := cmp.Diff(string(kept), screen()); diff != "" {
		s.Errorf("%s:\n%s", name, diff)
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	root, none := project(t, docs()...), project(t)
	for _, size := range [][2]int{{80, 24}, {160, 50}, {40, 12}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(at, func(t *testing.T) {
			s := start(t, size[0], size[1], root, "inbox")
			var now, then []string // bodies
			first := []string{"Inbox 3", "Three tests"}
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
			s.shows("help-"+at, "open; esc goes")
			s.press("x\t\t")
			s.shows("all-"+at, append(now, "All 5", "Half of")...)
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

// The board has a column for each group of states, or one column where there is no room.
func TestBoard(t *testing.T) {
	t.Parallel()
	root, none := project(t, many(40)...), project(t)
	inAllStates(t, root)
	for _, size := range [][2]int{{80, 24}, {120, 32}, {40, 12}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(at, func(t *testing.T) {
			s := start(t, size[0], size[1], root, "inbox")
			s.sees("Inbox 23")
			s.press("b")
			s.shows("board-"+at, "Unread", "Task 39")
			s.press("lj")
			s.shows("board-moved-"+at, "Taken", "Task ")
			s.press("\r")
			s.sees("taken by ben", "q back")
			s.quits()
		})
	}
	s := start(t, 80, 24, project(t, many(5)...), "inbox")
	s.sees("Task 3")
	s.press("bG")
	s.sees("▌Task 0")
	s.press("t") // the cards above come back
	s.sees("Unread 4", " Task 4 and more", "▌Task 0")
	s.quits()
	s = start(t, 80, 24, none, "inbox")
	s.sees("There are no handoffs yet")
	s.press("b")
	s.shows("board-empty-80x24", "Nobody works on")
	s.quits()
}

// One handoff, ended before one's eyes; 200 in all states; 100,000.
func TestScreensOfAnySize(t *testing.T) {
	one, some := project(t, docs()[0]), project(t, many(200)...)
	inAllStates(t, some)
	for _, size := range [][2]int{{80, 24}, {160, 50}} {
		at := fmt.Sprintf("%dx%d", size[0], size[1])
		s := start(t, size[0], size[1], some, "inbox")
		s.shows("200-"+at, "Inbox 1", "Where it stands")
		s.press("\x1b[6~\x1b[6~\r")
		s.shows("200-open-"+at, " of 1", "q back")
		s.quits()
	}
	s := start(t, 80, 24, one, "inbox")
	s.shows("1-80x24", "Inbox 1", "Where it stands")
	s.press("d")
	s.shows("1-done-80x24", "Nothing waits for ben", "done")
	s.quits()
	if os.Getenv("HANDOFF_FAULTS") != "all" { // reads 100,000 four times
		return
	}
	large := grown(t, docs()[0], 100_000)
	s = start(t, 80, 24, large, "inbox")
	s.shows("100000-80x24", "1 of 100000", "Where it stands")
	s.quits()
	s = start(t, 80, 24, large, "inbox")
	s.sees("The retries back off")
	s.press("G") // before all is read
	s.sees(" of 100000")
	s.press("G")
	s.sees("100000 of 100000")
	s.press("bgG")
	s.sees("Unread 100000")
	s.quits()
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

// grown is a project with one handoff that is there, and rows of others, older, to make n.
func grown(t *testing.T, doc handoff.Document, n int) string {
	root := project(t, doc)
	path := filepath.Join(root, "handoffs", "INDEX.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "| sha256:")
	var b strings.Builder
	b.Write(text[:at])
	for i := range n - 1 {
		day := today.AddDate(0, 0, i/1000-200)
		fmt.Fprintf(&b, "| sha256:%064x | %s-ann-ben-t%d.md | ann | ben | t%d | %s |  |\n", i, day.Format(time.DateOnly), i, i, day.Format(time.RFC3339))
	}
	b.Write(text[at:])
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// The colours and marks, and what is left of them where nobody wants colours.
func TestColours(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := project(t, many(60)...)
	inAllStates(t, root)
	for name, env := range map[string]string{"colours-80x24": "NO_COLOR=", "no-colour-80x24": "NO_COLOR=1"} {
		s := startCommand(t, 80, 24, root, []string{env}, self, "inbox")
		s.sees("Where it stands")
		s.press("\t\t\x1b[6~")
		s.showsColours(name, "All 60", " of 60", "taken", "ann → cleo")
		if env == "NO_COLOR=1" && regexp.MustCompile(`\x1b\[[0-9;]*[349][0-7]`).MatchString(s.screen.colours()) {
			t.Error("there are colours where nobody wants them")
		}
		s.quits()
	}
}

// Without a command a person at a terminal in a project gets the inbox.
func TestBare(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, 80, 24, project(t, docs()...), nil, self)
	s.sees("Inbox 3", "Where it stands")
	s.press("\x03")
	if code := s.leaves(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s = startCommand(t, 80, 40, t.TempDir(), nil, self)
	s.sees("handoff help all")
	if code := s.leaves(); code != 0 {
		t.Errorf("outside of a project: exit code %d", code)
	}
}

// Where there is no screen the inbox says what there is in its place.
func TestNoScreen(t *testing.T) {
	t.Parallel()
	root := project(t, docs()...)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, 80, 24, root, []string{"TERM=dumb"}, self, "inbox")
	s.sees("run `handoff list`")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	s = startCommand(t, 80, 24, root, nil, "sh", "-c", `"$0" inbox </dev/null`, self)
	s.sees("the inbox needs a terminal")
	if code := s.leaves(); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
