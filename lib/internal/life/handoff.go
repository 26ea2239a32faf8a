package life

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Handoff is what is known of one handoff.
type Handoff struct {
	From, To string // of its document; "" where that says nothing that changes a state, or is not here
	relation.Set
	Superseders, Replies []string // ids of the documents that name it, as they became known

	eventlog.Life // who has it, has ended it, has put it away
}

// An Event is one of the audit log that changes the state of a handoff.
type Event struct {
	Type string
	ID   string // of the handoff
	Key  string // that was consumed, if one was
	eventlog.Deed
}

// changes are the types of events that change a state, each with what it does. A later event follows
// an earlier one.
var changes = map[string]func(*Handoff, Event){
	eventlog.ActTake.Type():      act,
	eventlog.ActRelease.Type():   act,
	eventlog.ActDone.Type():      act,
	eventlog.ActReopen.Type():    act,
	eventlog.ActResend.Type():    act,
	eventlog.ActArchive.Type():   act,
	eventlog.ActUnarchive.Type(): act,
	eventlog.ActYield.Type():     act,
	eventlog.ActSettle.Type():    act,
	eventlog.ActFree.Type():      act,
	eventlog.TypeResume:          act,
}

// act takes in what somebody did with a handoff.
func act(h *Handoff, e Event) { h.Life.Add(e.Key, e.Deed) }

// Successors returns the ids of the handoffs that take the place of the one of a row: those whose
// sender is its sender or its recipient, that need no approval or have it, and that Trusts lets
// through. What others say of superseding it is a claim, and counts for nothing.
func (f *Facts) Successors(row index.Row) []string { return f.successors(f.Of(row.ID), row) }

// successors are those that may take the place of a handoff: by its sender or its recipient, signed where
// that is asked for, and not waiting for an approval.
func (f *Facts) successors(h Handoff, row index.Row) (ids []string) {
	for _, id := range h.Superseders {
		by := f.Of(id)
		isParty := by.From == row.From || by.From == row.To
		if isParty && !f.isAwaiting(id, by, by.From, by.To) && (f.Trusts == nil || f.Trusts(id, by.From)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// isAwaiting reports whether a handoff needs an approval that it does not have. A rejection is final.
func (f *Facts) isAwaiting(id string, h Handoff, from, to string) bool {
	d := f.decision(id)
	return d.Rejected.IsDone() || !d.Approved.IsDone() && (h.Approval || f.Asks != nil && f.Asks(from, to))
}

func (f *Facts) decision(id string) eventlog.Decision {
	if f.Decided == nil {
		return eventlog.Decision{}
	}
	return f.Decided(id)
}

// TakenBy returns the ids of what an operator has taken, and neither given back nor ended.
func (f *Facts) TakenBy(operator string) map[string]bool {
	return f.with(func(h Handoff) bool { return h.Take.Holds().Operator == operator && !h.Done.IsDone() })
}

// Archived returns the ids of what is archived.
func (f *Facts) Archived() map[string]bool {
	return f.with(func(h Handoff) bool { return h.Archive.Holds().IsDone() })
}

// with returns the ids of those with which something was done.
func (f *Facts) with(done func(Handoff) bool) map[string]bool {
	ids := make(map[string]bool)
	for k, a := range f.of {
		if id := k.String(); a.acts > 0 && done(f.Of(id)) {
			ids[id] = true
		}
	}
	return ids
}

// Connected returns what is known of each handoff that can be reached from one by answers and by what
// supersedes what, and their ids, that one first.
func (f *Facts) Connected(id string) (lives map[string]Handoff, ids []string) {
	lives, ids = map[string]Handoff{id: f.Of(id)}, []string{id}
	for i := 0; i < len(ids); i++ {
		h := lives[ids[i]]
		for _, other := range slices.Concat(h.Re, h.Supersedes, h.Replies, h.Superseders) {
			if _, known := lives[other]; !known {
				lives[other] = f.Of(other)
				ids = append(ids, other)
			}
		}
	}
	return lives, ids
}
