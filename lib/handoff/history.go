package handoff

import (
	"path"
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
	case e.Type == log.Prune && slices.Contains(p.Removed, id):
		return HistoryEvent{What: "pruned", Operator: p.Operator, Time: e.Time}, true
	case e.Type == log.Repair && (slices.Contains(p.Lost, id) || slices.Contains(p.Moved, id)):
		return HistoryEvent{What: "lost", Operator: p.Operator, Time: e.Time}, true
	}
	return h, false
}

// Thread returns the handoffs that are connected with one by replies and successors, oldest first. id is as in Read.
func (s *Store) Thread(id string) (relation.Thread, error) {
	asked, err := s.Find(id)
	if err != nil {
		return relation.Thread{}, err
	}
	look, err := s.look(false)
	if err != nil {
		return relation.Thread{}, err
	}
	ids := []string{asked.ID}
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var nodes []relation.Node
	for i := 0; i < len(ids); i++ {
		n := relation.Node{ID: ids[i], State: relation.Absent}
		if h := look.Of(ids[i]); h != nil && !h.Pruned && !h.Lost {
			n = s.node(look.View, h)
			for _, other := range slices.Concat(h.Re, h.Supersedes) {
				add(other)
			}
		}
		for _, other := range look.Naming(ids[i]) {
			add(other.ID)
		}
		nodes = append(nodes, n)
	}
	return relation.NewThread(asked.ID, nodes), nil
}

// node returns a handoff as a part of its thread.
func (s *Store) node(v facts.View, h *facts.Handoff) relation.Node {
	l := s.ListedOne(entry(v, h))
	n := relation.Node{ID: h.ID, Path: l.File, From: h.From, To: h.To, Topic: h.Topic, Title: l.Title,
		Time: h.Time, State: string(l.State), Re: h.Re}
	for _, old := range h.Supersedes {
		if o := v.Of(old); o != nil && !slices.Contains(v.Superseders(o), h) {
			n.Claims = append(n.Claims, old)
			continue
		}
		n.Supersedes = append(n.Supersedes, old)
	}
	_, n.Beside = s.Lifecycle().Successors(h.ID)
	return n
}

// shownPath returns only the name of a file, unless its directory is the default one: the name of a directory could
// influence a reader.
func shownPath(file string) string {
	if file == "" || path.Dir(file) == "handoffs" {
		return file
	}
	return path.Base(file)
}
