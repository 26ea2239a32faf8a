package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Step is something that the reader of a handoff can do next.
type Step int

// The steps in their usual order.
const (
	Check  Step = iota // find out whether work can continue
	Resume             // continue the work of a packet
	Take               // take any other handoff
	Answer
	Done // finish it
)

const RoomForWords = 1000 // characters for the text of the program around a body

// NextSteps returns the line with the steps that me can take, "" if there are none. It is safe for agents: of text from others
// it has only the names in the frontmatter. If me is "", it is the recipient.
func NextSteps(s *handoff.Store, got handoff.Stored, me string, words map[Step]string) string {
	me = cmp.Or(me, got.Entry.To)
	l, waits, state := s.Lifecycle().Of(got.Entry.ID), errors.Is(s.Lifecycle().CheckApproval(got.Entry.ID), handoff.ErrDenied), StateOf(s, got.Entry)
	taken := l.Take.Holds()
	isOpen := !waits && !l.Done.IsDone() && (!taken.IsDone() || taken.Operator == me)
	var steps []string
	switch {
	case s.Lifecycle().Decided()(got.Entry.ID).Rejected.IsDone():
		steps = append(steps, "it was rejected")
	case waits:
		steps = append(steps, "a person must approve it first")
	case state == handoff.StateSuperseded:
		steps = append(steps, "it is superseded by "+Successors(s, got.Entry, 12))
	case state == handoff.StateExpired, state == handoff.StateArchived:
		steps = append(steps, "it is "+string(state))
	}
	if handoff.AnnouncesRecord(handoff.Source{Fields: &got.Document}) {
		steps = append(steps, words[Check])
	}
	if me == got.Entry.To || taken.Operator == me {
		if isOpen && !taken.IsDone() && !state.IsClosed() {
			steps = append(steps, words[map[bool]Step{true: Resume, false: Take}[handoff.CarriesPacket(got.Document)]])
		}
		if steps = append(steps, words[Answer]); isOpen {
			steps = append(steps, words[Done])
		}
	}
	if len(steps) == 0 {
		return ""
	}
	return "Next: " + strings.Join(steps, "; ") + ".\n"
}

// StateOf returns the state of a handoff.
func StateOf(s *handoff.Store, e handoff.Entry) handoff.State {
	return s.ListedOne(e).State
}

// Successors returns the first digits of the ids of a handoff's successors.
func Successors(s *handoff.Store, e handoff.Entry, digits int) string {
	all, _ := s.Lifecycle().Successors()(e.ID)
	for i, id := range all {
		all[i] = Short(id, digits)
	}
	return strings.Join(all, " and by ")
}

// NextCommands is NextSteps with commands.
func NextCommands(s *handoff.Store, got handoff.Stored, me string) string {
	e := got.Entry
	id, me := strings.TrimPrefix(e.ID, "sha256:")[:12], cmp.Or(me, e.To)
	if me == handoff.Next {
		me = "NAME"
	}
	return NextSteps(s, got, me, map[Step]string{
		Check:  fmt.Sprintf("`handoff check %s` checks whether work can continue", id),
		Resume: fmt.Sprintf("`handoff resume %s --operator %s` resumes the work", id, me),
		Take:   fmt.Sprintf("`handoff take %s --operator %s` takes it, and marks it as read", id, me),
		Answer: fmt.Sprintf("`handoff reply %s -` stores an answer from standard input", id),
		Done:   fmt.Sprintf("`handoff done %s --operator %s` finishes it", id, me),
	})
}
