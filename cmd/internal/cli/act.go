package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// PrintAct prints the receipt of an action: on a terminal a line with the title, and below it how to undo the action;
// otherwise JSON. It notes if the handoff is closed.
func (a *App) PrintAct(s *handoff.Store, got handoff.ActReceipt) error {
	id := Short(got.ID, Shortest)
	state := handoff.State(cmp.Or(got.State, string(handoff.StateUnread)))
	words, next := actionDone[got.Act], nextSteps[got.Act]
	if state == handoff.StateWithdrawn {
		words, next = actionDone[handoff.ActWithdraw], nextSteps[handoff.ActWithdraw]
	}
	line := fmt.Sprintf("%s %s by %s: %s (%s)", a.StateSign(state), words, got.Operator, a.titleOf(s, got.ID), id)
	switch existing := got.Status == handoff.StatusExisting; {
	case existing && got.Act == handoff.ActRelease:
		line, next = id+" was not taken; nothing changed", ""
	case existing && got.Act == handoff.ActReopen:
		line, next = id+" was not done; nothing changed", ""
	case existing:
		line, next = line+", "+a.When(got.Time), ""
	}
	err := a.Did(got, line, strings.ReplaceAll(next, "ID", id))
	if got.Over == "" {
		return err
	}
	note := id + " is " + got.Over
	for i, by := range got.Successors {
		note += []string{" by ", " and by "}[min(i, 1)] + Short(by, Shortest)
	}
	a.Note(note + ": see `handoff check " + id + "`")
	return err
}

// titleOf returns the title of a handoff, "" unless the output is for people.
func (a *App) titleOf(s *handoff.Store, id string) string {
	if !a.ForPeople() {
		return ""
	}
	e, err := s.Find(id)
	if err != nil {
		return ""
	}
	return handoff.Cut(s.ListedOne(e).Title, titleInLine)
}

const titleInLine = 60 // columns

// WholeIDs returns the ids of the named handoffs.
func WholeIDs(s *handoff.Store, names []string) ([]string, error) {
	entries, err := s.FindEach(names)
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids, err
}

// actionDone maps an action to the words for its result.
var actionDone = map[handoff.Act]string{
	handoff.ActTake: "taken", handoff.ActRelease: "released", handoff.ActDone: "done", handoff.ActArchive: "archived",
	handoff.ActUnarchive: "unarchived", handoff.ActApprove: "approved", handoff.ActReject: "rejected", handoff.ActReopen: "reopened",
	handoff.ActWithdraw: "withdrawn",
}

// nextSteps maps an action to the commands that continue or undo it.
var nextSteps = map[handoff.Act]string{
	handoff.ActTake:     "finish it with `handoff done ID`, give it back with `handoff release ID`",
	handoff.ActDone:     "reopen it: handoff done --undo ID",
	handoff.ActWithdraw: "send it again: handoff done --undo ID",
	handoff.ActArchive:  "unarchive it: handoff archive --undo ID",
}
