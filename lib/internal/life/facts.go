package life

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Facts are what documents and events say of handoffs. Of most there is nothing to be said: their documents have no
// reference with a meaning, and nobody did more than read them.
type Facts struct {
	of map[form.Key]*Handoff
}

// A Handoff is what is known of one handoff.
type Handoff struct {
	From, To string // of its document; "" where that has no relation, or is not here
	relation.Set
	Superseders, Replies []string // ids of the documents that name it, as they became known

	Archived, Done, Taken, Approved, Rejected Act // what stands of what events say
}

// An Act is what somebody did; its zero value is that nobody did.
type Act struct{ By, Time string }

// An Event is one of the audit log that changes the state of a handoff.
type Event struct {
	Type string
	ID   string // of the handoff
	Act
}

// changes are the types of events that change a state, each with what it does. A later event follows an earlier one.
var changes = map[string]func(*Handoff, Event){}

// NewFacts returns facts about nothing.
func NewFacts() *Facts { return &Facts{of: make(map[form.Key]*Handoff)} }

// Of returns what is known of the handoff of an id, zero if nothing is.
func (f *Facts) Of(id string) Handoff {
	if k, ok := form.KeyOf(id); ok && f.of[k] != nil {
		return *f.of[k]
	}
	return Handoff{}
}

// about is what is known of a handoff, to be added to, nil for what no handoff can be called.
func (f *Facts) about(id string) *Handoff {
	k, ok := form.KeyOf(id)
	if !ok {
		return nil
	}
	if f.of[k] == nil {
		f.of[k] = &Handoff{}
	}
	return f.of[k]
}

// AddDocument takes in what the references of a document say. Adding it again changes nothing.
func (f *Facts) AddDocument(id, from, to string, references []string) {
	s := relation.Of(references)
	if len(s.Re) == 0 && len(s.Supersedes) == 0 && s.Expires == "" && !s.Approval {
		return
	}
	h := f.about(id)
	if h == nil {
		return
	}
	h.From, h.To, h.Set = from, to, s
	for _, other := range s.Supersedes {
		if o := f.about(other); !slices.Contains(o.Superseders, id) {
			o.Superseders = append(o.Superseders, id)
		}
	}
	for _, other := range s.Re {
		if o := f.about(other); !slices.Contains(o.Replies, id) {
			o.Replies = append(o.Replies, id)
		}
	}
}

// AddEvent takes in an event. Events come in the order of the log.
func (f *Facts) AddEvent(e Event) {
	if change, ok := changes[e.Type]; ok {
		if h := f.about(e.ID); h != nil {
			change(h, e)
		}
	}
}

// Successors returns the ids of the handoffs that take the place of the one of a row: those whose sender is its sender or its
// recipient, and that need no approval or have it. What others say of superseding it is a claim, and counts for nothing.
func (f *Facts) Successors(row index.Row) (ids []string) {
	for _, id := range f.Of(row.ID).Superseders {
		if by := f.Of(id); (by.From == row.From || by.From == row.To) && !by.IsAwaiting() {
			ids = append(ids, id)
		}
	}
	return ids
}

// IsAwaiting reports whether a handoff needs an approval that it does not have. A rejection is final.
func (h Handoff) IsAwaiting() bool {
	return h.Approval && (h.Approved.By == "" || h.Rejected.By != "")
}
