package everyday

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Step is what can be done with a handoff that was read.
type Step int

// The steps, in the order in which they are taken.
const (
	Check    Step = iota // whether work can be resumed from it
	Resume               // take it over
	MarkRead             // record that it was read
	Answer
)

const roomForWords = 1000 // characters of our own words around what is shown

// NextSteps returns the line that says what whoever works for me can do with a handoff, "" if nothing. It is for agents:
// others wrote nothing of it but the names in the head, which are slugs. An unknown me stands for the recipient.
func NextSteps(got handoff.Stored, me string, words map[Step]string) string {
	me = cmp.Or(me, got.Entry.To)
	var steps []string
	if handoff.AnnouncesRecord(handoff.Source{Fields: &got.Document}) {
		steps = append(steps, words[Check])
		if me == got.Entry.To && got.Entry.UnreadBy(me) {
			steps = append(steps, words[Resume])
		}
	}
	if me == got.Entry.To {
		if got.Entry.UnreadBy(me) {
			steps = append(steps, words[MarkRead])
		}
		steps = append(steps, words[Answer])
	}
	if len(steps) == 0 {
		return ""
	}
	return "Next: " + strings.Join(steps, "; ") + ".\n"
}

// nextCommands is NextSteps for the command line.
func nextCommands(got handoff.Stored, me string) string {
	e := got.Entry
	id, me := strings.TrimPrefix(e.ID, "sha256:")[:12], cmp.Or(me, e.To)
	return NextSteps(got, me, map[Step]string{
		Check:    fmt.Sprintf("`handoff check %s` says whether work can be resumed from it", id),
		Resume:   fmt.Sprintf("`handoff resume %s --operator %s` takes it over", id, me),
		MarkRead: fmt.Sprintf("`handoff mark-read %s %s` records that it was read", id, me),
		Answer:   fmt.Sprintf("`handoff write - --from %s --to %s --topic %s` stores an answer from standard input", me, e.From, e.Topic),
	})
}
