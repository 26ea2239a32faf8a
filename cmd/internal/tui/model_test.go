package tui

import (
	"fmt"
	"path/filepath"
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
		all[i] = row{Entry: handoff.Entry{ID: fmt.Sprintf("sha256:%064x", i*7919), From: []string{"ann", "Ben", "cleo"}[i%3], To: []string{"ben", "ann"}[i%2],
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

// The numbers of the board are those of its columns, not of the list behind it.
func TestBoardCounts(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 90)
	m.width, m.height = 80, 24
	press(m, "b", "/", "f", "r", "o", "m", ":", "a", "n", "n")
	n := 0
	for _, c := range m.columns {
		n += len(c.shown)
	}
	if n == len(m.shown) || n == 0 {
		t.Fatalf("the board has %d cards, the list %d rows", n, len(m.shown))
	}
	if foot := ansi.Strip(strings.Join(m.foot(), "")); !strings.HasSuffix(foot, fmt.Sprintf(" %d of 90", n)) {
		t.Errorf("the board of %d cards ends with %q", n, foot)
	}
	press(m, "enter", "j", "enter")
	if rule := ansi.Strip(m.rule()); !strings.Contains(rule, fmt.Sprintf(" 2 of %d ", len(m.columns[0].shown))) {
		t.Errorf("above the second of %d cards: %q", len(m.columns[0].shown), rule)
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 90)
	if m.view != 0 || m.counts[0] == 0 || m.counts[0] >= 45 || m.counts[1] != 0 || m.counts[2] != 90 {
		t.Errorf("view %d, %v", m.view, m.counts)
	}
	for _, i := range m.shown {
		if r := m.rows[i]; r.To != "ben" || r.state.IsClosed() {
			t.Errorf("the inbox of ben has %v", r)
		}
	}
	if press(m, "tab"); m.view != 1 || m.chosen() != nil {
		t.Errorf("view %d with %v", m.view, m.chosen())
	}
	if m = newTest(t, "", 90); m.view != 2 || len(m.shown) != 90 {
		t.Errorf("nobody sees view %d with %d", m.view, len(m.shown))
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]int{
		"": 90, "topic-8": 11, "TOPIC-8": 11, "topic-8 ann": 6, "from:ben": 30, "from:b to:ann": 15, "is:unread": 12, "is:un to:ben": 12,
		"is:": 90, "sha256:": 90, "0000000000000000000000000000000000000000000000000000000000001eef": 1, "nothing": 0, "ben": 60,
	} {
		m := newTest(t, "", 90)
		press(m, "/")
		for _, c := range filter {
			press(m, string(c))
		}
		if len(m.shown) != want {
			t.Errorf("%q shows %d, want %d", filter, len(m.shown), want)
		}
		typed := len(m.shown)
		if m.choose(m.id()); len(m.shown) != typed {
			t.Errorf("%q shows %d typed, and %d at once", filter, typed, len(m.shown))
		}
		for range filter {
			press(m, "backspace")
		}
		if len(m.shown) != 90 {
			t.Errorf("after %q is taken back, %d are shown", filter, len(m.shown))
		}
	}
}

// What is chosen stays chosen while the store changes around it.
func TestChosenStays(t *testing.T) {
	t.Parallel()
	m := newTest(t, "", 90)
	press(m, "j", "j", "j")
	id := m.id()
	m.Update(loadedMsg{rows: append(rows(95)[90:], rows(90)...), stamp: "two"})
	if m.id() != id || m.at != 8 {
		t.Errorf("%s at %d, want %s", m.id(), m.at, id)
	}
	m.Update(loadedMsg{rows: rows(2), stamp: "three"})
	if m.chosen() == nil || len(m.shown) != 2 {
		t.Errorf("%v of %d", m.chosen(), len(m.shown))
	}
	if m.Update(loadedMsg{stamp: gone}); len(m.rows) != 2 || !strings.Contains(m.View().Content, "is gone") {
		t.Errorf("%d rows\n%s", len(m.rows), m.View().Content)
	}
	if m.Update(loadedMsg{rows: rows(3), stamp: "four"}); len(m.rows) != 3 || m.trouble != "" {
		t.Errorf("%d rows, %q", len(m.rows), m.trouble)
	}
}

// Whatever is pressed on a terminal of whatever size: nothing breaks, and the view fits.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{"enter", "esc", "tab", "backspace", "pgdown", "j", "k", "g", "G", "n", "m", "?", "/", "f", "b", "h", "l", "x", " ", "i", "s", ":", "u", "漢", "\x1b", "\u202e"}
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
				if want := m.preview.wanted.Load(); want != nil {
					m.Update(bodyMsg{target: want, lines: make([]string, rapid.IntRange(0, 300).Draw(rt, "lines")), tags: []string{"x"}, references: []string{"expires:2026-12-01T00:00:00Z"}})
				}
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

// BenchmarkFilter is the slowest key there is: a letter that most of 100,000 rows have.
func BenchmarkFilter(b *testing.B) {
	m := newTest(b, "", 100_000)
	press(m, "/")
	for b.Loop() {
		press(m, "t")
		_ = m.View()
		m.filter, m.prompt.text = "", nil
		m.choose("")
	}
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

// The sender is in the list at every width.
func TestSenderAtEachWidth(t *testing.T) {
	t.Parallel()
	m := newTest(t, "ben", 90)
	for _, height := range []int{8, 12, 24, 50} {
		for width := 24; width <= 200; width++ {
			m.Update(tea.WindowSizeMsg{Width: width, Height: height})
			at := m.layout()
			lines := strings.Split(ansi.Strip(m.View().Content), "\n")[2:]
			for i := range min(at.rows(), len(m.shown)-m.list.top) {
				if from := m.rows[m.shown[m.list.top+i]].From; !strings.Contains(lines[i], "from "+from) {
					t.Fatalf("%dx%d: no %s in\n%s", width, height, from, lines[i])
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
