package tui

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func rows(n int) []row {
	all := make([]row, n)
	states := handoff.States()
	for i := range all {
		all[i] = row{Entry: &handoff.Entry{ID: fmt.Sprintf("sha256:%064x", i*7919), From: []string{"ann", "Ben", "cleo"}[i%3], To: []string{"ben", "ann"}[i%2],
			Topic: fmt.Sprint("topic-", i), Time: "2026-11-22T08:00:00Z"}, state: states[i%len(states)]}
	}
	return all
}

// newTest returns a model of a store that is not there, with rows.
func newTest(t testing.TB, me string, n int) *model {
	t.Helper()
	o := handoff.Options{Dir: filepath.Join(t.TempDir(), "none"), Now: func() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }}
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(s, o, me)
	m.Update(loadedMsg{rows: rows(n), stamp: "one"})
	return m
}

func key(text string) tea.KeyPressMsg {
	switch text {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	}
	return tea.KeyPressMsg{Code: []rune(text)[0], Text: text}
}

func press(m *model, keys ...string) {
	for _, k := range keys {
		m.Update(key(k))
	}
}

// count is how many handoffs are shown.
func count(m *model) int { return len(m.shown) }

// List and board have the same sections, and one choice.
func TestSections(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 90)
	for s := range sections {
		from, to := m.of(s)
		for _, i := range m.shown[from:to] {
			if r := m.rows[i]; r.To != "ben" || !slices.Contains(sections[s].states, r.state) {
				t.Errorf("the inbox of ben has %v as %s", r, sections[s].name)
			}
		}
	}
	press(m, "G")
	last := m.id()
	if press(m, "b"); m.id() != last {
		t.Errorf("%s in column %d, want %s", m.id(), m.turn(), last)
	}
	if press(m, "h", "h", "g"); m.turn() != 0 || m.id() != m.rows[m.shown[0]].ID {
		t.Errorf("%s in column %d", m.id(), m.turn())
	}
	if press(m, "tab"); m.chosen() != nil {
		t.Errorf("ben sent %v", m.chosen())
	}
	if m = newTest(t, "", 90); count(m) != 46 || m.view != 2 { // of four in eight states
		t.Errorf("without a name there are %d in view %d", count(m), m.view)
	}
}

// A search is for titles, people, ids and texts, in all states.
func TestSearch(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{
		"": 46, "topic-8": 11, "TOPIC-8": 11, "topic-8 ann": 6, "ben": 60, "0000000000000000000000000000000000000000000000000000000000001eef": 1, "nothing": 0,
	} {
		m := newTest(t, "", 90)
		press(m, "/")
		for _, c := range query {
			press(m, string(c))
		}
		if count(m) != want {
			t.Errorf("%q shows %d, want %d", query, count(m), want)
		}
		for range query {
			press(m, "backspace")
		}
		if count(m) != 46 {
			t.Errorf("after %q is taken back, %d are shown", query, count(m))
		}
	}
	m := newTest(t, "", 90)
	press(m, "/", "h", "o", "t")
	found := map[string]int{m.rows[4].ID: 0, m.rows[0].ID: 1, m.rows[8].ID: 2}
	m.Update(foundMsg{query: "ho", ids: found})
	if count(m) != 0 {
		t.Error("what another query found is shown")
	}
	if m.Update(foundMsg{query: "hot", ids: found}); count(m) != 3 {
		t.Errorf("%d of 3 texts are shown", count(m))
	}
	if m.rows[m.shown[0]].ID != m.rows[0].ID || m.rows[m.shown[1]].ID != m.rows[8].ID { // both are unread
		t.Errorf("%v: the best is not the first", m.shown)
	}
}

// What is chosen stays chosen while the store changes around it.
func TestChosenStays(t *testing.T) {
	t.Parallel()
	m := newTest(t, "", 90)
	press(m, "j", "j", "j")
	id := m.id()
	m.Update(loadedMsg{rows: append(rows(95)[90:], rows(90)...), stamp: "two"})
	if m.id() != id {
		t.Errorf("%s, want %s", m.id(), id)
	}
	m.Update(loadedMsg{rows: rows(2), stamp: "three"})
	if m.chosen() == nil || count(m) != 2 {
		t.Errorf("%v of %d", m.chosen(), count(m))
	}
	if m.Update(loadedMsg{err: errors.New("the disk is gone"), stamp: "four"}); len(m.rows) != 2 || !strings.Contains(m.View().Content, "is gone") {
		t.Errorf("%d rows\n%s", len(m.rows), m.View().Content)
	}
	if m.Update(loadedMsg{rows: rows(3), stamp: "four"}); len(m.rows) != 3 || m.trouble != "" {
		t.Errorf("%d rows, %q", len(m.rows), m.trouble)
	}
}

// Whatever is pressed on a terminal of whatever size: nothing breaks, and the view fits.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{"enter", "esc", "tab", "backspace", "pgdown", "j", "k", "g", "G", "?", "/", "b", "h", "l", "x", " ", "i", "s", ":", "u", "漢", "y", "\u202e"}
	rapid.Check(t, func(rt *rapid.T) {
		m := newTest(t, rapid.SampledFrom([]string{"ben", "ann", ""}).Draw(rt, "me"), rapid.SampledFrom([]int{0, 1, 5, 200}).Draw(rt, "rows"))
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0:
				m.Update(tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(rt, "width"), Height: rapid.IntRange(0, 60).Draw(rt, "height")})
			case 1:
				m.Update(loadedMsg{rows: rows(rapid.IntRange(0, 20).Draw(rt, "n")), stamp: rapid.StringN(1, 3, 9).Draw(rt, "stamp")})
			case 2:
				m.Update(tea.PasteMsg{Content: rapid.SampledFrom([]string{"漢字", "\x1b[2J", "x\ny\tz", "👍", strings.Repeat("long ", 100), "\u202e"}).Draw(rt, "paste")})
			case 3:
				m.Update(bodyMsg{m.preview.id, m.preview.width, make([]string, rapid.IntRange(0, 300).Draw(rt, "lines")), []string{"", "signed by ann"}})
			default:
				press(m, rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			lines := strings.Split(m.View().Content, "\n")
			if len(lines) > max(1, m.height) {
				rt.Fatalf("%d lines of %d", len(lines), m.height)
			}
			for _, line := range lines {
				if w := ansi.WcWidth.StringWidth(line); w > m.width {
					rt.Fatalf("%d columns of %d: %q", w, m.width, line)
				}
			}
		}
	})
}

// On a narrow terminal the end of what is typed is seen, and all of what an error says.
func TestLongLines(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 9)
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 24})
	m.Update(actedMsg{err: fmt.Errorf("the lock is held by another program since %s; wait for it, or end it", strings.Repeat("a long time and ", 3))})
	if screen := m.View().Content; !strings.Contains(screen, "or end it") {
		t.Errorf("an error is cut:\n%s", screen)
	}
	press(m, "/")
	m.Update(tea.PasteMsg{Content: strings.Repeat("漢字 ", 12) + "the end"})
	if screen := m.View(); !strings.Contains(screen.Content, "the end") || screen.Cursor.X >= 40 {
		t.Errorf("what is typed is not seen:\n%s", screen.Content)
	}
}

// The sender and 8 digits of the id are in the list at every width.
func TestEachWidth(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 90)
	for _, height := range []int{8, 12, 24, 50} {
		for width := 36; width <= 200; width++ {
			m.Update(tea.WindowSizeMsg{Width: width, Height: height})
			lines := strings.Split(ansi.Strip(m.View().Content), "\n")[3:]
			_, unread := m.of(0)
			for i := range min(m.layout().listHeight-1, unread) {
				r := m.rows[m.shown[i]]
				if !strings.Contains(lines[i], r.From) || !strings.Contains(lines[i], r.ID[7:15]) {
					t.Fatalf("%dx%d: no %s or %s in\n%s", width, height, r.From, r.ID[7:15], lines[i])
				}
			}
		}
	}
}

func TestEachBindingHasItsAction(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, b := range bindings() {
		if actions[b.keys[0]] == nil {
			t.Errorf("keys.txt: %s has no action", b.keys[0])
		}
		for _, key := range b.keys {
			if known[key] {
				t.Errorf("keys.txt: two lines have the key %s", key)
			}
			known[key] = true
		}
	}
	for key := range actions {
		if !known[key] {
			t.Errorf("the action of %s is not in keys.txt", key)
		}
	}
}
