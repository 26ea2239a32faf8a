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
	at, _ := instant(e.Payload.Time)
	return o.add(Note{Type: e.Type, Operator: e.Payload.Operator, ID: id, At: at})
}

func (r *Room) of(h *Handoff) *occupied {
	if o := r.all[h]; o != nil {
		return o
	}
	o := &occupied{ids: map[string]bool{}, facts: map[string]int{}, last: map[string]Note{}}
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
	subject, changes := n.Operator, false
	switch n.Type {
	case log.Archive, log.Unarchive:
		subject = ""
		fallthrough
	case log.MarkRead, log.MarkUnread:
		if last := o.last[subject]; compare(n, last) > 0 {
			changes, o.last[subject] = n.Type != last.Type, n
		}
	}
	if !changes && o.facts[n.Operator] >= mostFacts {
		return false
	}
	o.facts[n.Operator]++
	return true
}
