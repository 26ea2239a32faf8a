package cli

import (
	"cmp"
	"slices"
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
	MarkRead
)

const RoomForWords = 1000 // characters for the text of the program around a body

// Steps returns what me can do next with a handoff, and why it may be in vain, or "". If me is "", it is the recipient.
func Steps(s *handoff.Store, got handoff.Stored, me string) (why string, steps []Step) {
	e, state := got.Entry, got.Entry.State
	isDone, holder := e.Life().Done.IsDone(), e.Life().Take.Operator
	switch state {
	case handoff.StateSuperseded:
		why = "it is superseded by " + Successors(s, e, 12)
	case handoff.StateExpired, handoff.StateArchived:
		why = "it is " + string(state)
	}
	if handoff.AnnouncesRecord(handoff.Source{Fields: &got.Document}) {
		steps = append(steps, Check)
	}
	if me != "" && !e.IsTo(me) && holder != me {
		return why, steps
	}
	if !isDone && holder == "" && !state.IsClosed() {
		steps = append(steps, map[bool]Step{true: Resume, false: Take}[handoff.CarriesPacket(got.Document)])
	}
	if steps = append(steps, Answer); !isDone && (holder == "" || holder == cmp.Or(me, e.To)) {
		steps = append(steps, Done)
	}
	if e.UnreadBy(me) {
		steps = append(steps, MarkRead)
	}
	return why, steps
}

// NextSteps returns the line with the steps that me can take, "" if there are none. ID and NAME in the words for a step
// become the id and me. The line is safe for agents: of text from others it has only the names in the frontmatter.
func NextSteps(s *handoff.Store, got handoff.Stored, me string, words map[Step]string) string {
	why, steps := Steps(s, got, me)
	parts, named := []string{why}, strings.NewReplacer("ID", Short(got.Entry.ID, 12), "NAME", me)
	for _, step := range steps {
		parts = append(parts, named.Replace(words[step]))
	}
	if parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" }); len(parts) == 0 {
		return ""
	}
	return "Next: " + strings.Join(parts, "; ") + ".\n"
}

// Successors returns the first digits of the ids of a handoff's successors.
func Successors(s *handoff.Store, e handoff.Entry, digits int) string {
	all := s.Lifecycle().Successors(e.ID)
	for i, id := range all {
		all[i] = Short(id, digits)
	}
	return strings.Join(all, " and by ")
}
