package handoff

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A State is how far a handoff has come.
type State = life.State

// The states; see package life for what each of them means.
const (
	StateUnread     = life.Unread
	StateRead       = life.Read
	StateTaken      = life.Taken
	StateAwaiting   = life.Awaiting
	StateDone       = life.Done
	StateSuperseded = life.Superseded
	StateExpired    = life.Expired
	StateArchived   = life.Archived
	StateWithdrawn  = life.Withdrawn
)

// States returns all states, in the order in which a handoff comes to them as a rule.
func States() []State { return life.States }

// A standing tells how far handoffs have come. It reads what it has to know when it is first asked.
type standing struct {
	facts func() *life.Facts
	told  func() offered
	s     *Store
}

func (s *Store) standing() standing {
	if s.held != nil {
		return *s.held
	}
	return standing{sync.OnceValue(s.life), sync.OnceValue(s.told), s}
}

func (l standing) state(e Entry) State { return l.facts().State(e, l.s.opt.Now()) }

// toldAt returns when a session of the recipient was told of a handoff last, "" if none was.
func (l standing) toldAt(e Entry) string { return l.told()[[2]string{e.ID, e.To}] }

// life returns what is known of the handoffs beyond their rows. Where it cannot be read that is warned
// about, and nothing is known.
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
	if facts.HasNoEvents() && s.opt.Git != GitTracked { // where a clone has none at first
		s.opt.Warn("no " + filepath.Base(s.opt.StateDir) + ": who read and took what is unknown, and what was approved")
	}
	facts.Trusts, facts.Decided = s.trusts(), s.Lifecycle().Decided()
	if facts.Asks, err = trust.Policies(s.at); err != nil {
		s.at.Opt.Lost(fault.New(ErrConfig, "run `handoff operators validate`", "what needs an approval is not known, and all is taken to need one: %v", err))
		facts.Asks = func(string, string) bool { return true }
	}
	return facts, nil
}

// trusts returns what says whether a handoff has the signature that the operators file asks for, if it
// does. The file is asked once for each sender.
func (s *Store) trusts() func(id, from string) bool {
	free := make(map[string]bool) // of whom no signature is asked for
	return func(id, from string) bool {
		is, known := free[from]
		if !known {
			why, _ := s.Distrust(from, Signature{State: SignatureUnsigned})
			is = why == ""
			free[from] = is
		}
		if is {
			return true
		}
		got, err := s.Read(id)
		if err != nil {
			return false
		}
		why, _ := s.Distrust(from, got.Signature)
		return why == ""
	}
}

const forgotten = 14 * 24 * time.Hour

// isForgotten reports whether a handoff is unread, and nobody was told of it in 14 days, or its
// recipient has left.
func (l standing) isForgotten(e Entry, left map[string]bool) bool {
	state := l.state(e)
	isOld := before(e.Time, l.s.opt.Now().Add(-forgotten))
	return state == StateUnread && (left[e.To] || isOld && l.toldAt(e) == "")
}

// Successors returns what says of stored handoffs which others have taken their place, and which take
// the place of the same as they do. What is known of them is read when it is first asked.
func (c Lifecycle) Successors() func(id string) (successors, beside []string) {
	at := c.s.standing()
	return func(id string) (successors, beside []string) {
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
				beside = append(beside, slices.DeleteFunc(all, func(other string) bool { return other == id })...)
			}
		}
		return successors, beside
	}
}

// Left says how many were left out that are over, such as "1 taken, 2 superseded"; "" if none was.
func (in Inbox) Left() string {
	var parts []string
	for _, state := range []State{StateTaken, StateSuperseded, StateExpired, StateArchived, StateWithdrawn} {
		if n := in.Over[state]; n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", state))
		}
	}
	if n := in.Over[StateAwaiting]; n > 0 {
		parts = append(parts, fmt.Sprint(n, " awaiting approval"))
	}
	return strings.Join(parts, ", ")
}

// Reply returns the document without a body that answers a handoff, written by me: from and to are
// turned round, but for who answers what they sent.
func Reply(e Entry, me string) Document {
	from, to := e.To, e.From
	if me == e.From {
		from, to = to, from
	}
	return Document{SchemaVersion: "1.0", From: from, To: to, Topic: e.Topic, References: []string{relation.Form{Kind: relation.Re, ID: e.ID}.String()}}
}

// Supersede returns the document without a body that takes the place of a handoff.
func Supersede(e Entry) Document {
	return Document{SchemaVersion: "1.0", From: e.From, To: e.To, Topic: e.Topic, References: []string{relation.Form{Kind: relation.Supersedes, ID: e.ID}.String()}}
}

func checkState(state State) error {
	var known []string
	for _, s := range life.States {
		if state == s || state == "" {
			return nil
		}
		known = append(known, string(s))
	}
	return fault.New(ErrInvalid, "use one of "+strings.Join(known, ", "), "%q is not a state", state)
}
