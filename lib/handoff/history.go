package handoff

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A HistoryEvent is something that happened to a handoff. What says what, such as written, read, taken or done.
// Operator and Session did it. By is the handoff that answers or supersedes this one, Note the reason that the operator
// gave.
type HistoryEvent struct {
	What     string `json:"event"`
	Operator string `json:"operator,omitempty"`
	Time     string `json:"ts_utc"`
	Session  string `json:"session_id,omitempty"`
	Note     string `json:"note,omitempty"`
	By       string `json:"related,omitempty"`
	Effect   string `json:"effect,omitempty"` // "no effect", "not synced", or ""
}

var happened = map[string]string{log.Write: "written", log.Import: "received", log.MarkRead: "read",
	log.MarkUnread: "unread", log.Archive: "archived", log.Unarchive: "unarchived", log.Sign: "signed",
	log.Take: "taken", log.Renew: "renewed", log.Release: "released", log.Done: "done", log.Reopen: "reopened",
	log.Withdraw: "withdrawn", log.Resume: "resumed"}

// Participle returns what an action makes of a handoff, such as taken, released or done.
func (a Act) Participle() string {
	if a == ActSteal {
		a = ActTake
	}
	return happened["handoff."+string(a)]
}

// History returns what happened to a handoff, oldest first: the events of the audit log, and the handoffs that answer
// or supersede this one. id is as in Read. Errors are those of Read, and of the system.
func (s *Store) History(id string) (Entry, []HistoryEvent, error) {
	e, err := s.Find(id)
	if err != nil {
		return e, nil, err
	}
	look, err := s.look(false)
	if err != nil {
		return e, nil, err
	}
	var all []HistoryEvent
	unsent, counts := map[string]bool{}, look.Counting(e.of)
	if err := s.unsent(look, func(event log.Event) { unsent[event.ID()] = true }); err != nil {
		return e, nil, err
	}
	err = s.at.Events(func(event log.Event) {
		h, is := historyOf(event, e.ID)
		if !is {
			return
		}
		switch id := event.ID(); {
		case log.IsTurn(event.Type) && !counts[id]:
			h.Effect = "no effect"
		case unsent[id]:
			h.Effect = "not synced"
		}
		all = append(all, h)
	})
	if err != nil {
		return e, nil, err
	}
	if len(all) > 0 && all[0].What != happened[log.Write] { // it came from elsewhere
		all = slices.Insert(all, 0, HistoryEvent{What: happened[log.Write], Operator: e.From, Time: e.Time})
	}
	for _, by := range look.Replies(e.of) {
		all = append(all, HistoryEvent{What: "answered", Operator: by.From, Time: by.Time, By: by.ID})
	}
	for _, by := range look.Superseders(e.of) {
		all = append(all, HistoryEvent{What: "superseded", Operator: by.From, Time: by.Time, By: by.ID})
	}
	slices.SortStableFunc(all, func(a, b HistoryEvent) int { return compareTimes(a.Time, b.Time) })
	return e, all, nil
}

// historyOf returns what an event says about a handoff, and whether it is about it.
func historyOf(e log.Event, id string) (h HistoryEvent, is bool) {
	p := e.Payload
	what, known := happened[e.Type]
	switch {
	case known && p.ID == id:
		h = HistoryEvent{What: what, Operator: p.Operator, Time: p.Time, Session: p.Session, Note: p.Note}
		if e.Type == log.Write {
			h.Operator = p.From
		}
		return h, true
	case e.Type == log.Surface && slices.Contains(p.IDs, id):
		return HistoryEvent{What: "told", Operator: p.Operator, Time: e.Time}, true
	case e.Type == log.Prune && slices.Contains(p.Removed, id):
		return HistoryEvent{What: "pruned", Operator: p.Operator, Time: e.Time}, true
	case e.Type == log.Repair && (slices.Contains(p.Lost, id) || slices.Contains(p.Moved, id)):
		return HistoryEvent{What: "lost", Operator: p.Operator, Time: e.Time}, true
	}
	return h, false
}

// A Threaded is a handoff of a thread, with its Depth in the tree. It answers Re, supersedes Supersedes, and
// claims to supersede Claims, without effect. A handoff that is named and not stored here has only its id.
type Threaded struct {
	Entry
	Depth                  int
	Re, Supersedes, Claims []string
}

// Thread returns the handoffs that are connected with one by replies and successors, as a tree from its top to its
// bottom: each is below the first one that it names, and older ones come first. id is as in Read.
func (s *Store) Thread(id string) (all []Threaded, err error) {
	asked, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	look, err := s.look(false)
	if err != nil {
		return nil, err
	}
	found := []Threaded{{Entry: Entry{ID: asked.ID}}}
	has := map[string]bool{asked.ID: true}
	add := func(id string) {
		if !has[id] {
			has[id], found = true, append(found, Threaded{Entry: Entry{ID: id}})
		}
	}
	for i := 0; i < len(found); i++ {
		id := found[i].ID
		if h := look.Of(id); h != nil && !h.Pruned && !h.Lost {
			found[i] = threaded(look.View, h)
			for _, other := range slices.Concat(h.Re, h.Supersedes) {
				add(other)
			}
		}
		for _, other := range look.Naming(id) {
			add(other.ID)
		}
	}
	nodes, entries := make([]relation.Node, len(found)), make([]Entry, len(found))
	for i, t := range found {
		nodes[i] = relation.Node{ID: t.ID, Time: t.Time, Names: slices.Concat(t.Re, t.Supersedes, t.Claims)}
		entries[i] = t.Entry
	}
	entries = s.Listed(entries)
	for _, b := range relation.Tree(nodes) {
		t := found[b.Node]
		t.Entry, t.Depth = entries[b.Node], b.Depth
		all = append(all, t)
	}
	return all, nil
}

func threaded(v facts.View, h *facts.Handoff) Threaded {
	t := Threaded{Entry: entry(v, h), Re: h.Re}
	for _, old := range h.Supersedes {
		if o := v.Of(old); o != nil && !slices.Contains(v.Superseders(o), h) {
			t.Claims = append(t.Claims, old)
		} else {
			t.Supersedes = append(t.Supersedes, old)
		}
	}
	return t
}
