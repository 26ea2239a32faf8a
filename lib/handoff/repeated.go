package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Repeated looks for an identical handoff that is still open and was written in the time within before doc. It returns
// doc with the ts_utc of that handoff, so that writing it again stores nothing. If a closed handoff has the id of doc,
// Repeated returns doc with a later second: it is sent again. Otherwise, or if it cannot read the store, it returns doc
// unchanged.
func (s *Store) Repeated(doc Document, within time.Duration) Document {
	at, ok := form.Instant(doc.Time)
	if !ok {
		return doc
	}
	found, _ := s.List(Filter{From: doc.From, To: doc.To, Topic: doc.Topic, Since: at.Add(-within)})
	states, closed := s.stateReader(), make(map[string]bool)
	for _, e := range found {
		again := doc
		again.Time = e.Time
		if id, err := ID(again); err != nil || id != e.ID {
			continue
		}
		if !states.state(e).IsClosed() {
			return again
		}
		closed[e.ID] = true
	}
	for id, err := ID(doc); err == nil && closed[id]; id, err = ID(doc) {
		at = at.Add(time.Second)
		doc.Time = at.Format(time.RFC3339)
	}
	return doc
}
