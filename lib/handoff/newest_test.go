package handoff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// The newest comes first, down to the fraction of a second, and of equal times the later row.
func TestNewestFirst(t *testing.T) {
	t.Parallel()
	times := []string{"0001-12-31T23:59:59Z", "2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00.1Z", "2026-01-01T00:00:01Z", "9999-12-31T23:59:59.9Z"}
	rapid.Check(t, func(t *rapid.T) {
		var entries []handoff.Entry
		for i, at := range rapid.SliceOf(rapid.IntRange(0, len(times)-1)).Draw(t, "times") {
			entries = append(entries, handoff.Entry{ID: fmt.Sprintf("%d %04d", at, i), Time: times[at]})
		}
		sorted := handoff.NewestFirst(entries)
		if !slices.IsSortedFunc(sorted, func(a, b handoff.Entry) int { return strings.Compare(b.ID, a.ID) }) || len(sorted) != len(entries) {
			t.Fatalf("%v", sorted)
		}
	})
}
