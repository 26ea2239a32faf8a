package txn_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

func TestWholeRecords(t *testing.T) {
	for ledger, want := range map[string]int{
		"": 0, "a\n": 1, "a\n\nb\n": 3, "a\nb": 1, "a\na": 1, "a\nb\x00\n": 1, "a\n\x00\n\x00b\nc": 1, "a\x00\nb\n": 2,
	} {
		if got := txn.WholeRecords([]byte(ledger)); got != want {
			t.Errorf("%q has %d whole records, want %d", ledger, got, want)
		}
	}
}
