package facts

import "github.com/seed-78daf238/handoff/lib/internal/log"

// Caps of what others may say about a handoff. Beyond them only what changes something comes in.
const (
	mostFacts = 100 // by one operator
	mostTurns = 1000
)

// A Room decides which received events come in, while a change is planned.
type Room struct {
	view View // without rules, at the end of all times
	all  map[*Handoff]*occupied
}

// An occupied is what a room has about a handoff, or about none.
type occupied struct {
	ids   map[string]bool
	life  Life
	turns int
	facts map[string]int  // by operator
	last  map[string]Note // the latest mark by operator, and by "" the latest archive
	next  map[string]Note // the latest of those that are expected
}

// NewRoom returns the room that there is beside facts.
func NewRoom(f *Facts) *Room { return &Room{View{Facts: f}, map[*Handoff]*occupied{}} }

// Admit reports whether an event is here, and whether it comes in: it is within the caps, or changes something, all
// rules left out. The handoff is nil if the event is about none.
func (r *Room) Admit(h *Handoff, e log.Pending, id string) (isHere, comesIn bool) {
	o := r.of(h)
	if r.view.Others[id] || o.ids[id] {
		return true, false
	}
	comesIn = r.admit(o, h, e, id)
	o.ids[id] = comesIn
	return false, comesIn
}

func (r *Room) admit(o *occupied, h *Handoff, e log.Pending, id string) bool {
	switch e.Type {
	case log.Seal:
		return true
	case log.Take, log.Renew, log.Release, log.Done, log.Reopen, log.Withdraw, log.Resume:
		t, ok := turnOf(log.Event{Type: e.Type, Payload: e.Payload}, id)
		return ok && r.addTurn(o, h, t)
	}
	return o.add(noteOf(e, id))
}

func noteOf(e log.Pending, id string) Note {
	at, _ := instant(e.Payload.Time)
	return Note{Type: e.Type, Operator: e.Payload.Operator, ID: id, At: at}
}

// Expect tells of an event that Admit is asked about later in this change: of many marks only the latest has an effect.
func (r *Room) Expect(h *Handoff, e log.Pending, id string) {
	o, n := r.of(h), noteOf(e, id)
	if subject, is := n.subject(); is && compare(n, o.next[subject]) > 0 {
		o.next[subject] = n
	}
}

// subject returns whose state a note is about, "" for that of all. Not all notes are about one.
func (n Note) subject() (name string, is bool) {
	switch n.Type {
	case log.MarkRead, log.MarkUnread:
		return n.Operator, true
	}
	return "", n.Type == log.Archive || n.Type == log.Unarchive
}

func (r *Room) of(h *Handoff) *occupied {
	if o := r.all[h]; o != nil {
		return o
	}
	o := &occupied{ids: map[string]bool{}, facts: map[string]int{}, last: map[string]Note{}, next: map[string]Note{}}
	if r.all[h] = o; h == nil {
		return o
	}
	for _, n := range h.Notes {
		o.ids[n.ID] = true
		o.add(n)
	}
	for _, t := range r.view.Turns(h) {
		o.ids[t.ID] = true
		r.addTurn(o, h, t)
	}
	return o
}

func (r *Room) addTurn(o *occupied, h *Handoff, t *Turn) bool {
	_, counts := r.view.Apply(&o.life, h, t)
	if counts || o.turns < mostTurns {
		o.turns++
		return true
	}
	return false
}

func (o *occupied) add(n Note) bool {
	subject, is := n.subject()
	last, isLatest := o.last[subject], compare(n, o.next[subject]) >= 0
	isLater := is && compare(n, last) > 0
	if o.facts[n.Operator] >= mostFacts && !(isLater && isLatest && n.Type != last.Type) {
		return false
	}
	if o.facts[n.Operator]++; isLater {
		o.last[subject] = n
	}
	return true
}
