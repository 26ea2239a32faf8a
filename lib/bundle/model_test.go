package bundle_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// held is what a store has, as far as stores exchange it: who has read each handoff, first when, and who has resumed it.
type held map[string]map[string]string

func (h held) set(id, key, value string) {
	if h[id] == nil {
		h[id] = make(map[string]string)
	}
	if old, known := h[id][key]; key != "" && (!known || value < old) {
		h[id][key] = value
	}
}

// take is what an exchange does: a union, in which the earliest mark counts.
func (h held) take(other held) {
	for id, all := range other {
		h.set(id, "", "")
		for key, value := range all {
			h.set(id, key, value)
		}
	}
}

func heldBy(t *rapid.T, s *handoff.Store) held {
	h := make(held)
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		h.set(e.ID, "", "")
		for _, m := range e.Marks() {
			h.set(e.ID, m.Operator, m.Time)
		}
	}
	tokens, err := s.Exchange().Consumptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tokens {
		h.set(c.HandoffID, "resumed "+c.Token, c.Operator)
	}
	return h
}

// Whatever is written, read, resumed and exchanged, in whatever order and however often: each store has what the model says,
// and when all have exchanged with all they have the same.
func TestExchangesAreUnions(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		root, err := os.MkdirTemp("", "model-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		var now time.Time
		stores, models := make([]*handoff.Store, n), make([]held, n)
		for i := range stores {
			dir := filepath.Join(root, fmt.Sprint(i))
			stores[i], err = handoff.Open(handoff.Options{Dir: filepath.Join(dir, "handoffs"), Root: dir, Rules: schema.Frontmatter(), Now: func() time.Time { return now },
				Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
			if err != nil {
				t.Fatal(err)
			}
			models[i] = make(held)
		}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			i := rapid.IntRange(0, n-1).Draw(t, "store")
			now = time.Date(2026, 5, 8, 12, rapid.IntRange(0, 5).Draw(t, "minute"), 0, 0, time.UTC)
			switch rapid.SampledFrom([]string{"write", "mark", "resume", "exchange", "exchange"}).Draw(t, "act") {
			case "write":
				topic := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "topic")
				got, err := stores[i].WriteAll(context.Background(), []handoff.Source{{Fields: &handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: topic, Time: at, Body: topic + "\n"}}})
				if err != nil {
					t.Fatal(err)
				}
				models[i].set(got[0].ID, "", "")
			case "mark":
				id := one(t, models[i])
				operator := rapid.SampledFrom([]string{"ben", "cat"}).Draw(t, "operator")
				if id == "" || models[i][id][operator] != "" { // a mark of somebody's own stays as it is
					continue
				}
				if _, err := stores[i].MarkRead(context.Background(), operator, id); err != nil {
					t.Fatal(err)
				}
				models[i].set(id, operator, now.Format(time.RFC3339))
			case "resume": // in one store alone: of two it is for claims to choose
				id := one(t, models[0])
				if id == "" || models[0][id]["resumed "+id] != "" || models[0][id]["ben"] > now.Format(time.RFC3339) {
					continue // the last: where the resume is heard of, it would be when ben read the handoff first
				}
				if _, err := stores[0].Records().Resume(context.Background(), handoff.Consumption{HandoffID: id, Operator: "ben"}); err != nil {
					t.Fatal(err)
				}
				models[0] = heldBy(t, stores[0]) // it may mark the handoff as read too
			case "exchange":
				exchange(t, stores[i], stores[(i+1)%n])
				models[(i+1)%n].take(models[i])
			}
			for i := range stores {
				if diff := cmp.Diff(models[i], heldBy(t, stores[i])); diff != "" {
					t.Fatalf("store %d: %s", i, diff)
				}
			}
		}
		for range 2 {
			for i := range stores {
				exchange(t, stores[i], stores[(i+1)%n])
			}
		}
		for i, s := range stores {
			if diff := cmp.Diff(heldBy(t, stores[0]), heldBy(t, s)); diff != "" {
				t.Fatalf("store %d: %s", i, diff)
			}
			if report, err := s.Verify(context.Background()); err != nil || len(report.Faults) > 0 {
				t.Fatal(err, report.Faults)
			}
		}
	})
}

// one returns one of the handoffs, "" if there is none.
func one(t *rapid.T, h held) string {
	ids := make([]string, 0, len(h))
	for id := range h {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return rapid.SampledFrom(ids).Draw(t, "id")
}

func exchange(t *rapid.T, from, to *handoff.Store) {
	entries, err := from.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := bundle.Export(from, entries, true, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Import(context.Background(), to, bytes.NewReader(b.Bytes()), bundle.Options{Name: "b", WithState: true}); err != nil {
		t.Fatal(err)
	}
}
