package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const stored = 2*firstRows + 150 // of which two of three are to ben

// large returns what opens a large store. What is newest by its time was written first.
func large(t *testing.T, git handoff.Git) handoff.Options {
	t.Helper()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	o := handoff.Options{
		Dir: filepath.Join(t.TempDir(), "handoffs"), Git: git, Rules: handoff.PlainRules,
		Now: func() time.Time { return now }, Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil },
	}
	o.Root = filepath.Dir(o.Dir)
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	var sources []handoff.Source
	for i := range stored {
		at := now.Add(-time.Duration(i) * 7 * time.Hour)
		if i%50 > 0 {
			at = now.Add(time.Duration(i-stored) * 7 * time.Hour)
		}
		sources = append(sources, handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: []string{"ben", "cleo", "ben"}[i%3], Topic: fmt.Sprint("topic-", i), Time: at.Format(time.RFC3339), Body: "Go on.\n"}})
	}
	var ids []string
	for part := range slices.Chunk(sources, 90) {
		receipts, err := s.WriteAll(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range receipts {
			ids = append(ids, r.ID)
		}
	}
	for i, act := range []handoff.Act{handoff.ActDone, handoff.ActTake, handoff.ActArchive} {
		for _, at := range []int{6*i + 3, stored - 6*i - 4} {
			if _, err := s.Act(t.Context(), act, ids[at], handoff.Who{Operator: "ben"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, at := range []int{0, 150, stored - 2} {
		if _, err := s.MarkRead(t.Context(), "ben", ids[at]); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// start returns the model of a store before anything is read.
func start(t *testing.T, o handoff.Options, me string) *model {
	t.Helper()
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(s, o, me)
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 40})
	return m
}

// screen returns the lines of the list, and what stands around it.
func (m *model) screen() (list, around string) {
	lines := strings.Split(regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(m.View().Content, ""), "\n")
	height := m.layout().listHeight
	return regexp.MustCompile(`(Unread|Taken) \d+`).ReplaceAllString(strings.Join(lines[2:2+height], "\n"), "$1"), strings.Join(append(lines[:2:2], lines[len(lines)-1]), "\n")
}

var number = regexp.MustCompile(`\d`)

// What is painted first stays as it is once all is read, and tells no number that is not known.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	for _, git := range []handoff.Git{handoff.GitNone, handoff.GitTracked} {
		o := large(t, git)
		for _, me := range []string{"ben", ""} {
			m := start(t, o, me)
			if list, around := m.screen(); strings.TrimSpace(list) != "" || number.MatchString(around) || !strings.Contains(around, "reading all handoffs…") {
				t.Errorf("%s %q: before anything is read:\n%s\n%s", git, me, around, list)
			}
			msg := m.begin()().(loadedMsg)
			m.Update(msg)
			first, around := m.screen()
			if number.MatchString(around) || !strings.Contains(around, "reading all handoffs…") {
				t.Errorf("%s %q: around the first screen:\n%s", git, me, around)
			}
			if len(m.rows) != firstRows {
				t.Errorf("%s %q: %d rows are read first", git, me, len(m.rows))
			}
			some := slices.Clone(m.rows)
			m.Update(msg.rest())
			last, around := m.screen()
			if first != last || !strings.Contains(first, "topic-") {
				t.Errorf("%s %q: the first screen\n%s\nis at last\n%s", git, me, first, last)
			}
			if strings.Contains(around, "reading") || !strings.Contains(around, fmt.Sprintf(" 1 of %d ", count(m))) {
				t.Errorf("%s %q: around the last screen:\n%s", git, me, around)
			}
			for i, r := range some {
				if whole := m.rows[slices.IndexFunc(m.rows, func(w row) bool { return w.ID == r.ID })]; r.ID != whole.ID || r.state != whole.state || r.taker != whole.taker {
					t.Fatalf("%s %q: row %d is first %v, and at last %v", git, me, i, r, whole)
				}
			}
			if newest := m.chosen(); newest.Topic != "topic-549" {
				t.Errorf("%s %q: %s is the newest unread one", git, me, newest.Topic)
			}
		}
	}
}

// What is typed before all is read is kept, and answered in its order then; what leaves is answered at once.
func TestEarlyKeys(t *testing.T) {
	t.Parallel()
	o := large(t, handoff.GitNone)
	m, in, out := start(t, o, "ben"), start(t, o, "ben"), start(t, o, "ben")
	for _, k := range []string{"j", "j"} {
		m.Update(key(k))
	}
	msg := m.begin()().(loadedMsg)
	m.Update(msg)
	for _, k := range []string{"/", "t", "o", "p"} {
		m.Update(key(k))
	}
	m.Update(tea.PasteMsg{Content: "ic-1"})
	press(m, "enter", "pgdown", "j")
	if m.at[0] != 0 || m.typing || m.query != "" {
		t.Errorf("at %d, typing %v, query %q before all is read", m.at, m.typing, m.query)
	}
	if _, cmd := m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}); cmd == nil || !quits(cmd) {
		t.Error("ctrl+c waits until all is read")
	}
	m.Update(msg.rest())

	in.Update(in.begin()().(loadedMsg).rest())
	press(in, "j", "j", "/", "t", "o", "p")
	in.Update(tea.PasteMsg{Content: "ic-1"})
	press(in, "enter", "pgdown", "j")
	if m.query != "topic-1" || m.id() != in.id() || count(m) != count(in) {
		t.Errorf("at %d of %d with %q; typed after all was read: at %d of %d", m.at, count(m), m.query, in.at, count(in))
	}
	if m.View().Content != in.View().Content {
		t.Errorf("typed early:\n%s\ntyped late:\n%s", m.View().Content, in.View().Content)
	}
	if _, cmd := out.Update(key("q")); cmd == nil || !quits(cmd) {
		t.Error("q waits until all is read")
	}
}

// quits reports whether a command ends the program.
func quits(cmd tea.Cmd) bool {
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		return true
	case tea.BatchMsg:
		return slices.ContainsFunc(msg, func(cmd tea.Cmd) bool { return cmd != nil && quits(cmd) })
	}
	return false
}

// A store that goes away before all of it is read is not shown as if it were whole, until it is back.
func TestGoneBeforeAllIsRead(t *testing.T) {
	t.Parallel()
	m := start(t, large(t, handoff.GitNone), "ben")
	dir := m.store.Dir()
	msg := m.begin()().(loadedMsg)
	m.Update(msg)
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	m.Update(key("j"))
	m.Update(msg.rest())
	list, around := m.screen()
	if number.MatchString(around) || !strings.Contains(around, "the handoffs directory is gone; some handoffs were not read") || m.at[0] != 1 {
		t.Errorf("at %d in what is gone:\n%s\n%s", m.at, around, list)
	}
	press(m, "tab")
	if list, around := m.screen(); number.MatchString(around) || strings.TrimSpace(list) != "" {
		t.Errorf("what was sent, of a store that is gone:\n%s\n%s", around, list)
	}
	press(m, "tab", "tab", "j")
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	m.Update(m.look()())
	if _, around := m.screen(); !strings.Contains(around, " of ") || strings.Contains(around, "gone") {
		t.Errorf("once it is back:\n%s", around)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if m.Update(m.look()()); !strings.Contains(m.View().Content, "this is its last content") {
		t.Errorf("gone again:\n%s", m.View().Content)
	}
}

// What changes while all is read is seen at the next look.
func TestChangeBeforeAllIsRead(t *testing.T) {
	t.Parallel()
	m := start(t, large(t, handoff.GitNone), "ben")
	msg := m.begin()().(loadedMsg)
	m.Update(msg)
	id := m.id()
	if _, err := m.store.Act(t.Context(), handoff.ActDone, id, handoff.Who{Operator: "ben"}); err != nil {
		t.Fatal(err)
	}
	m.Update(msg.rest())
	m.Update(m.look()())
	at := slices.IndexFunc(m.rows, func(r row) bool { return r.ID == id })
	if m.id() == id || m.turn != 0 || m.rows[at].state != handoff.StateDone {
		t.Errorf("%s is still the chosen one, as %s", id, m.rows[at].state)
	}
}
