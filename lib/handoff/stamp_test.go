package handoff_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What a reader sees while the same store performs an action is at least as new as the stamp from before: one that
// reads again only when the stamp changes would otherwise show the old state for ever.
func TestStampIsNotNewer(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	id := mustWrite(t, s, source("one", "body")).ID
	look := func() (stamp string, state handoff.State) {
		stamp = s.Stamp()
		entries, err := s.List(handoff.Filter{})
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		return stamp, entries[0].State
	}
	for i := range 20 {
		ended := make(chan error)
		go func() {
			_, err := s.Act(t.Context(), []handoff.Act{handoff.ActTake, handoff.ActRelease}[i%2], id, handoff.Who{Operator: "ben"})
			ended <- err
		}()
		seen, isOver := make(map[string]handoff.State), false
		for !isOver {
			stamp, state := look()
			seen[stamp] = state
			select {
			case err := <-ended:
				if isOver = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
		}
		if stamp, state := look(); seen[stamp] != "" && seen[stamp] != state {
			t.Fatalf("%s and %s with the same stamp", seen[stamp], state)
		}
	}
}
