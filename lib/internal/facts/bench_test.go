package facts_test

import (
	"fmt"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// large returns a store of many handoffs, of which one in a hundred needs work.
func large(b *testing.B) *store {
	const count = 100_000
	s := newStore(b)
	var change []log.Pending
	for i := range count {
		e := document("a", "ann", "ben")
		e.Payload.ID = "sha256:" + json.SHA256Hex(fmt.Append(nil, i))
		e.Payload.File = fmt.Sprintf("handoffs/2026-11-29-ann-ben-t-%d.md", i)
		change = append(change, e)
		if i%100 > 0 {
			mark := event(log.MarkRead, "a", "ben", 1)
			mark.Payload.ID = e.Payload.ID
			change = append(change, mark)
		}
		if len(change) > 1000 {
			if _, err := s.log.Append(day, change); err != nil {
				b.Fatal(err)
			}
			change = nil
		}
	}
	return s
}

func BenchmarkFold(b *testing.B) {
	s := large(b)
	b.SetBytes(s.log.Head().Offset)
	for b.Loop() {
		s.readTo(facts.New())
	}
}

func BenchmarkRestore(b *testing.B) {
	s := large(b)
	f := facts.New()
	s.readTo(f)
	open, closed := facts.View{Facts: f, Now: at(100)}.Snapshot()
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(len(open)))
		for b.Loop() {
			if _, err := facts.Restore(open, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(closed)))
		for b.Loop() {
			restored, err := facts.Restore(open, closed)
			if err != nil {
				b.Fatal(err)
			}
			v := facts.View{Facts: restored, Now: at(100)}
			for _, h := range v.All() {
				v.State(h, v.Life(h))
			}
		}
	})
}
