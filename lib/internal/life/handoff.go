package life

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Handoff is what is known about one handoff.
type Handoff struct {
	From, To string // of its document; "" if the document is missing or changes no state
	relation.Set
	Superseders, Replies []string // ids of the documents that refer to it, in the order of arrival

	eventlog.Life // who holds it, finished it, archived it
}

// Successors returns the ids of the handoffs that supersede the one of a row. Only those count whose sender
// is its sender or recipient, and that Trusts accepts.
func (f *Facts) Successors(row index.Row) []string { return f.successors(f.Of(row.ID), row) }

// successors is Successors for a handoff whose facts are known.
func (f *Facts) successors(h Handoff, row index.Row) (ids []string) {
	for _, id := range h.Superseders {
		by := f.Of(id)
		isParty := by.From == row.From || row.IsTo(by.From)
		if isParty && (f.Trusts == nil || f.Trusts(id, by.From)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// TakenBy returns the ids of the handoffs that an operator holds.
func (f *Facts) TakenBy(operator string) map[string]bool {
	return f.with(func(h Handoff) bool { return h.Take.Holds().Operator == operator && !h.Done.IsDone() })
}

// EndedSince returns the ids of the handoffs that were finished, or taken away from a session of an operator, at or
// after a time.
func (f *Facts) EndedSince(time, operator, session string) map[string]bool {
	return f.with(func(h Handoff) bool {
		d := cmp.Or(h.Done, h.RevokedBy(operator, session))
		return d.IsDone() && index.CompareTimes(d.Time, time) >= 0
	})
}

// Archived returns the ids of the archived handoffs.
func (f *Facts) Archived() map[string]bool {
	return f.with(func(h Handoff) bool { return h.Archive.Holds().IsDone() })
}

// Closed returns the ids of the handoffs that are archived or finished.
func (f *Facts) Closed() map[string]bool {
	return f.with(func(h Handoff) bool { return h.Archive.Holds().IsDone() || h.Done.IsDone() })
}

// LastBy returns the id of the handoff that an operator finished last, or archived last if isArchive is set. It returns
// "" if the operator has done so with none.
func (f *Facts) LastBy(operator string, isArchive bool) (last string) {
	act := func(h Handoff) eventlog.Action { return h.Done }
	if isArchive {
		act = func(h Handoff) eventlog.Action { return h.Archive.Holds() }
	}
	newest := ""
	for id := range f.with(func(h Handoff) bool { return act(h).Operator == operator }) {
		at := act(f.Of(id)).Time
		if order := cmp.Or(index.CompareTimes(at, newest), strings.Compare(id, last)); last == "" || order > 0 {
			last, newest = id, at
		}
	}
	return last
}

// with returns the ids of the handoffs with events for which done is true.
func (f *Facts) with(done func(Handoff) bool) map[string]bool {
	ids := make(map[string]bool)
	for k, a := range f.of {
		if id := k.String(); a.acts > 0 && done(f.Of(id)) {
			ids[id] = true
		}
	}
	return ids
}

// Connected returns all handoffs that are connected with id by replies or supersession, and their ids,
// beginning with id.
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
