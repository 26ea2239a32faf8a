package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Repeated looks for an identical handoff that is still open and was written in the time within before doc. It returns
// doc with the ts_utc of that handoff, so that writing it again stores nothing. If it finds no such handoff, or cannot
// read the store, it returns doc unchanged.
func (s *Store) Repeated(doc Document, within time.Duration) Document {
	at, ok := form.Instant(doc.Time)
	if !ok {
		return doc
	}
	found, _ := s.List(Filter{From: doc.From, To: doc.To, Topic: doc.Topic, Since: at.Add(-within), Open: true})
	for _, e := range found {
		again := doc
		again.Time = e.Time
		if id, err := ID(again); err == nil && id == e.ID {
			return again
		}
	}
	return doc
}
