//go:build unix

package handoff_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// What is logged meanwhile does not hide what was written in the last ten minutes, and an operators file that cannot be read
// lifts no limit.
func TestRateCountsWhatIsFarBack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	t.Parallel()
	root := t.TempDir()
	now := time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC)
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, Rules: schema.Frontmatter(), MaxHops: -1,
		Now: func() time.Time { return now }, Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	people := filepath.Join(root, "OPERATORS.md")
	write(t, people, []byte("---\nschema_version: '1.0'\noperators: [{id: ann}, {id: ben}]\n---\n"))
	one := func(topic string) error {
		_, err := s.WriteAll(t.Context(), []handoff.Source{lifeSource("ann", "ben", topic)})
		return err
	}
	for i := range handoff.DefaultMaxRate {
		if err := one(fmt.Sprint("n-", i)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	log := filepath.Join(root, ".run", "handoff-events.jsonl")
	for before := len(read(t, log)); len(read(t, log)) < before+300<<10; {
		_, err := s.MarkRead(t.Context(), "ben", ids...)
		if err == nil {
			_, err = s.MarkUnread(t.Context(), "ben", ids...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := one("more"); !errors.Is(err, handoff.ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	keep := read(t, people)
	if err := os.Remove(people); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(people, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := one("more"); !errors.Is(err, handoff.ErrConfig) {
		t.Errorf("an operators file that cannot be read: %v", err)
	}
	if err := os.Remove(people); err != nil {
		t.Fatal(err)
	}
	write(t, people, keep)
	now = now.Add(10 * time.Minute)
	if err := one("more"); err != nil {
		t.Errorf("after ten minutes: %v", err)
	}
}
