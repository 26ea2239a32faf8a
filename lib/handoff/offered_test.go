package handoff_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What is kept of offers is bounded, and the newest are always among it.
func TestOffersAreBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	id := mustWrite(t, s, source("one", "body")).ID
	path := filepath.Join(root, ".run", "offered.jsonl")
	line := `{"session_id":"old-%07d","agent":"claude","operator":"ben","ts_utc":"2026-05-07T12:00:00Z","handoff_ids":["` + id + `"]}` + "\n"
	var full bytes.Buffer
	for full.Len() < 4<<20-2*len(line) {
		fmt.Fprintf(&full, line, full.Len())
	}
	for range 3 {
		if err := os.WriteFile(path, full.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if !s.Sessions().Offer(handoff.Offer{Session: fmt.Sprint("new-", i), Agent: "claude", Operator: "ben", IDs: []string{id}}) {
				t.Error("an offer was not recorded")
			}
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > 3<<20 {
			t.Errorf("%d bytes are left, %v", len(text), err)
		}
	}
	offers := s.Sessions().OffersOf(id)
	if len(offers) < 4 || !strings.HasPrefix(offers[len(offers)-1].Session, "new-2") || !strings.HasPrefix(offers[0].Session, "old-") {
		t.Errorf("%d offers", len(offers))
	}
	entries, err := os.ReadDir(filepath.Join(root, ".run"))
	if err != nil || len(entries) > 6 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A session without an id is told once a day, every other one once.
func TestOfferIsRecordedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC)
	s := open(t, root, func(o *handoff.Options) { o.Now = func() time.Time { return now } })
	one, two := mustWrite(t, s, source("one", "body")).ID, mustWrite(t, s, source("two", "body")).ID
	tests := []struct {
		session, agent, operator string
		ids                      []string
		days                     int
		want                     bool
	}{
		{"a", "claude", "ben", []string{one}, 0, true},
		{"a", "claude", "ben", []string{one}, 5, false},
		{"a", "claude", "ben", []string{one, two}, 5, true},
		{"a", "claude", "ben", []string{two, one}, 5, false},
		{"a", "codex", "ben", []string{one}, 5, true},
		{"a", "claude", "cy", []string{one}, 5, true},
		{"", "plain", "ben", []string{one}, 5, true},
		{"", "plain", "ben", []string{one}, 5, false},
		{"", "plain", "ben", []string{one}, 6, true},
		{"a", "claude", "ben", nil, 6, false},
	}
	for i, test := range tests {
		now = time.Date(2026, 5, 8+test.days, 9, 0, 0, 0, time.UTC)
		if got := s.Sessions().Offer(handoff.Offer{Session: test.session, Agent: test.agent, Operator: test.operator, IDs: test.ids}); got != test.want {
			t.Errorf("offer %d: recorded is %v", i, got)
		}
	}
	if offers := s.Sessions().Offers(); len(offers) != 6 || len(offers[1].IDs) != 1 || offers[1].IDs[0] != two {
		t.Errorf("%+v", offers)
	}
}
