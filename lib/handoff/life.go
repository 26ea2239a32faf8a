package handoff

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A State is the state of a handoff, such as StateUnread. States are derived, never stored.
type State = life.State

// The states of a handoff. If several apply, the first of this list counts:
// archived, withdrawn, done, superseded, expired, taken, read, unread.
const (
	StateUnread     = life.Unread     // its recipient has not marked it as read
	StateRead       = life.Read       // its recipient has marked it as read
	StateTaken      = life.Taken      // it has a holder
	StateDone       = life.Done       // it is finished
	StateSuperseded = life.Superseded // it has a successor
	StateExpired    = life.Expired    // its expiry time has passed
	StateArchived   = life.Archived   // it is hidden
	StateWithdrawn  = life.Withdrawn  // its sender took it back before it was read
)

// States returns all states, in the order in which a handoff usually reaches them.
func States() []State { return life.States }

// A stateReader computes states of handoffs. It reads what it needs on first use.
type stateReader struct {
	facts func() *life.Facts
	s     *Store
}

func (s *Store) stateReader() stateReader {
	if s.held != nil {
		return *s.held
	}
	return stateReader{sync.OnceValue(s.life), s}
}

func (l stateReader) state(e Entry) State { return l.facts().State(e, l.s.opt.Now()) }

// life returns the facts about handoffs beyond their rows. If they are unreadable, it warns and returns no facts.
func (s *Store) life() *life.Facts {
	facts, err := s.gather()
	if err != nil {
		s.opt.Warn("what is superseded, expired, taken or done is not known: " + err.Error())
		return life.NewFacts()
	}
	return facts
}

func (s *Store) gather() (*life.Facts, error) {
	d, err := s.at.OpenDirs()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	facts, err := life.Gather(d, d.LogHead())
	if err != nil {
		return nil, err
	}
	if facts.HasNoEvents() && s.opt.Git != GitTracked { // a new clone has none
		s.opt.Warn("no " + filepath.Base(s.opt.StateDir) + ": reads and takes are unknown")
	}
	facts.Trusts = s.trusts()
	return facts, nil
}

// trusts returns a function that reports whether a handoff has the signature that the operators file requires, if
// any. It looks each sender up once.
func (s *Store) trusts() func(id, from string) bool {
	free := make(map[string]bool) // senders who need not sign
	return func(id, from string) bool {
		is, known := free[from]
		if !known {
			is = s.Distrust(from, Signature{State: SignatureUnsigned}) == ""
			free[from] = is
		}
		if is {
			return true
		}
		got, err := s.Read(id)
		return err == nil && s.Distrust(from, got.Signature) == ""
	}
}

// Successors returns a function that returns the successors of a stored handoff. rivals are the other successors of
// the handoffs that it supersedes itself. Facts are read on the first call.
func (c Lifecycle) Successors() func(id string) (successors, rivals []string) {
	at := c.s.stateReader()
	return func(id string) (successors, rivals []string) {
		h := at.facts().Of(id)
		if e, err := c.s.Find(id); err == nil && len(h.Superseders) > 0 {
			successors = at.facts().Successors(e)
		}
		for _, old := range h.Supersedes {
			e, err := c.s.Find(old)
			if err != nil {
				continue
			}
			if all := at.facts().Successors(e); slices.Contains(all, id) {
				rivals = append(rivals, slices.DeleteFunc(all, func(other string) bool { return other == id })...)
			}
		}
		return successors, rivals
	}
}

// Left counts the closed handoffs that were left out, such as "1 taken, 2 superseded". It returns "" if there are
// none.
func (in Inbox) Left() string {
	var parts []string
	for _, state := range []State{StateTaken, StateSuperseded, StateExpired, StateArchived, StateWithdrawn} {
		if n := in.Over[state]; n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", state))
		}
	}
	return strings.Join(parts, ", ")
}

// Reply returns a document without a body that answers a handoff. It goes from the recipient to the sender. If me is
// the sender, it goes to the recipient again. The recipient of a handoff to Next is me.
func Reply(e Entry, me string) Document {
	from, to := e.To, e.From
	switch {
	case me == e.From:
		from, to = to, from
	case to == "", e.To == Next:
		from = me
	}
	return Document{SchemaVersion: "1.0", From: from, To: to, Topic: e.Topic,
		References: []string{relation.Form{Kind: relation.Re, ID: e.ID}.String()}}
}

// Supersede returns a document without a body that replaces a handoff.
func Supersede(e Entry) Document {
	return Document{SchemaVersion: "1.0", From: e.From, To: e.To, Topic: e.Topic,
		References: []string{relation.Form{Kind: relation.Supersedes, ID: e.ID}.String()}}
}

func checkState(state State) error {
	var known []string
	for _, s := range life.States {
		if state == s || state == "" {
			return nil
		}
		known = append(known, string(s))
	}
	return fault.Invalid("use one of "+strings.Join(known, ", "), "unknown state %q", state)
}
