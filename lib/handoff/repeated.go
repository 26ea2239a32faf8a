package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Repeated returns doc with the ts_utc of a stored handoff that is otherwise identical, so that writing it is a
// repetition. Only handoffs count that are open and at most within older than doc. If there is none, or the store
// cannot be read, it returns doc unchanged.
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
