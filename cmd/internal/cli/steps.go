package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Step is what can be done with a handoff that was read.
type Step int

// The steps, in the order in which they are taken.
const (
	Check  Step = iota // whether work can be resumed from it
	Resume             // take over the work of a packet
	Take               // what is none
	Answer
	Done // end it
)

const RoomForWords = 1000 // characters of our own words around what is shown

// NextSteps returns the line that says what whoever works for me can do with a handoff, "" if nothing. It is for agents:
// others wrote nothing of it but the names in the head, which are slugs. An unknown me stands for the recipient.
func NextSteps(s *handoff.Store, got handoff.Stored, me string, words map[Step]string) string {
	me = cmp.Or(me, got.Entry.To)
	l, waits, state := s.Lifecycle().Of(got.Entry.ID), errors.Is(s.Lifecycle().CheckApproval(got.Entry.ID), handoff.ErrDenied), StateOf(s, got.Entry)
	taken := l.Take.Holds()
	isOpen := !waits && !l.Done.IsDone() && (!taken.IsDone() || taken.Operator == me)
	var steps []string
	switch {
	case s.Lifecycle().Decided()(got.Entry.ID).Rejected.IsDone():
		steps = append(steps, "it was rejected, and nobody takes it")
	case waits:
		steps = append(steps, "a person has to approve it before anybody takes it")
	case state == handoff.StateSuperseded:
		steps = append(steps, "it is superseded by "+Successors(s, got.Entry, 12))
	case state == handoff.StateExpired, state == handoff.StateArchived:
		steps = append(steps, "it is "+string(state))
	}
	if handoff.AnnouncesRecord(handoff.Source{Fields: &got.Document}) {
		steps = append(steps, words[Check])
	}
	if me == got.Entry.To || taken.Operator == me {
		if isOpen && !taken.IsDone() && !state.IsOver() {
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

func StateOf(s *handoff.Store, e handoff.Entry) handoff.State {
	return s.Listed([]handoff.Entry{e})[0].State
}

// successors names what has taken the place of a handoff, by so many digits of their ids.
func Successors(s *handoff.Store, e handoff.Entry, digits int) string {
	all, _ := s.Lifecycle().Successors()(e.ID)
	for i, id := range all {
		all[i] = Short(id, digits)
	}
	return strings.Join(all, " and by ")
}

// nextCommands is NextSteps for the command line.
func NextCommands(s *handoff.Store, got handoff.Stored, me string) string {
	e := got.Entry
	id, me := strings.TrimPrefix(e.ID, "sha256:")[:12], cmp.Or(me, e.To)
	return NextSteps(s, got, me, map[Step]string{
		Check:  fmt.Sprintf("`handoff check %s` says whether work can be resumed from it", id),
		Resume: fmt.Sprintf("`handoff resume %s --operator %s` takes it over", id, me),
		Take:   fmt.Sprintf("`handoff take %s --operator %s` takes it, and marks it as read", id, me),
		Answer: fmt.Sprintf("`handoff reply %s -` stores an answer from standard input", id),
		Done:   fmt.Sprintf("`handoff done %s --operator %s` ends it", id, me),
	})
}
