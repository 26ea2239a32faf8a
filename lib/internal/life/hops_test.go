package life_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/life"
)

func isAnn(operator string) bool { return operator == "ann" }

func TestHops(t *testing.T) {
	f := life.NewFacts()
	f.AddDocument(id(2), "bot", "bee", []string{"re:" + id(1)}) // 1 answers nothing, and is not known here
	f.AddDocument(id(3), "bee", "bot", []string{"supersedes:" + id(2)})
	f.AddDocument(id(4), "bot", "bee", []string{"re:" + id(3), "re:" + id(1), "re:" + id(9)})
	f.AddDocument(id(5), "ann", "bee", []string{"re:" + id(4)})
	f.AddDocument(id(6), "bee", "ann", []string{"re:" + id(5)})
	f.AddDocument(id(7), "bee", "bot", []string{"re:" + id(6), "re:" + id(4)})
	f.AddDocument(id(8), "bot", "bee", []string{"re:" + id(8)}) // no document names itself, but nothing must hang
	for n, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 3, 5: 0, 6: 1, 7: 4, 8: 6, 9: 0} {
		if got := f.Hops(id(n), isAnn, 5); got != want {
			t.Errorf("%d hops to %d, want %d", got, n, want)
		}
	}
	if got := f.Hops(id(7), isAnn, 2); got != 3 {
		t.Errorf("%d hops, where no more than 2 are looked for", got)
	}
}

func TestUnapproved(t *testing.T) {
	f := life.NewFacts()
	for n := 2; n <= 7; n++ {
		f.AddDocument(id(n), "bot", "bee", []string{"re:" + id(n-1)})
	}
	f.AddDocument(id(8), "bot", "bee", []string{"re:" + id(6), "re:" + id(1)})
	f.AddDocument(id(9), "ann", "bee", []string{"re:" + id(6)})
	want := func(n int, parent string) {
		t.Helper()
		if got := f.Unapproved(id(n), isAnn, 5); got != parent {
			t.Errorf("%d waits for %q, want %q", n, got, parent)
		}
	}
	decided := make(map[string]eventlog.Decision)
	f.Decided = func(id string) eventlog.Decision { return decided[id] }
	ann := eventlog.Action{Operator: "ann", Time: "2026-05-08T09:00:00Z"}
	want(6, "")
	want(7, id(6))
	want(8, id(6))
	want(9, "")
	decided[id(1)] = eventlog.Decision{Approved: ann}
	want(8, id(6)) // another one that is approved helps nobody
	decided[id(6)] = eventlog.Decision{Approved: ann}
	want(7, "")
	decided[id(6)] = eventlog.Decision{Approved: ann, Rejected: ann}
	want(7, id(6))
}
