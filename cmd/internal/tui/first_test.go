package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const stored = 550 // of which two of three are to ben

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

// What waits for its reader is painted first, and stays as it is once all is read.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	for _, git := range []handoff.Git{handoff.GitNone, handoff.GitTracked} {
		m := start(t, large(t, git), "ben")
		if screen := m.View().Content; strings.Contains(screen, "topic-") || !strings.Contains(screen, "reading all handoffs…") {
			t.Errorf("%s: before anything is read:\n%s", git, screen)
		}
		first, all := m.begin()
		m.Update(first())
		if screen := m.View().Content; !strings.Contains(screen, "topic-") || !strings.Contains(screen, "reading all handoffs…") {
			t.Errorf("%s: the first screen:\n%s", git, screen)
		}
		press(m, "j", "j", "k")
		id := m.id()
		m.Update(all())
		if last := m.View().Content; strings.Contains(last, "reading") || m.id() != id || len(m.rows) != stored {
			t.Errorf("%s: %d rows, %s in place of %s:\n%s", git, len(m.rows), m.id(), id, last)
		}
		if press(m, "g"); m.chosen().Topic != "topic-549" {
			t.Errorf("%s: %s is the newest unread one", git, m.chosen().Topic)
		}
	}
}

// What changes while all is read is seen at the next look.
func TestChangeBeforeAllIsRead(t *testing.T) {
	t.Parallel()
	m := start(t, large(t, handoff.GitNone), "ben")
	first, all := m.begin()
	m.Update(first())
	id := m.id()
	if _, err := m.store.Act(t.Context(), handoff.ActDone, id, handoff.Who{Operator: "ben"}); err != nil {
		t.Fatal(err)
	}
	m.Update(all())
	m.Update(m.look()())
	at := slices.IndexFunc(m.rows, func(r row) bool { return r.ID == id })
	if m.id() == id || m.turn() != 0 || m.rows[at].state != handoff.StateDone {
		t.Errorf("%s is still the chosen one, as %s", id, m.rows[at].state)
	}
}
