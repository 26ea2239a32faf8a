package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Repeated returns a document with the time of a stored one that says the same, from the same sender to the same
// recipient, and is not older than within: then it is that handoff once more. Any other document comes back as it is,
// as does one of a store that cannot be read.
func (s *Store) Repeated(doc Document, within time.Duration) Document {
	at, ok := form.Instant(doc.Time)
	if !ok || !form.IsSlug(doc.From, document.MaxName) || !form.IsSlug(doc.To, document.MaxName) {
		return doc
	}
	found, err := s.List(Filter{From: doc.From, To: doc.To, Topic: doc.Topic, Since: at.Add(-within)})
	if err != nil {
		return doc
	}
	for _, e := range found {
		again := doc
		again.Time = e.Time
		if id, err := ID(again); err == nil && id == e.ID {
			return again
		}
	}
	return doc
}
