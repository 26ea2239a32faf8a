package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// PrintAct prints what an act has done: on a terminal a line with the title and below it how to take the act back, elsewhere
// JSON. A note says that a handoff needs no more work.
func (a *App) PrintAct(s *handoff.Store, got handoff.ActReceipt) error {
	id := Short(got.ID, Shortest)
	state := handoff.State(cmp.Or(got.State, string(handoff.StateUnread)))
	words, next := acted[got.Act], undoing[got.Act]
	if state == handoff.StateWithdrawn && got.Act == handoff.ActDone {
		words, next = "withdrawn", ""
	}
	line := fmt.Sprintf("%s %s by %s: %s (%s)", a.StateSign(state), words, got.Operator, a.titleOf(s, got.ID), id)
	switch existing := got.Status == handoff.StatusExisting; {
	case existing && got.Act == handoff.ActRelease:
		line, next = id+" is left as it was: nobody had taken it", ""
	case existing && got.Act == handoff.ActReopen:
		line, next = id+" is left as it was: it was not done", ""
	case existing:
		line, next = line+", since "+got.Time, ""
	}
	err := a.Did(got, line, strings.ReplaceAll(next, "ID", id))
	if got.Over == "" {
		return err
	}
	note := id + " is " + got.Over
	for i, by := range got.Successors {
		note += []string{" by ", " and by "}[min(i, 1)] + Short(by, Shortest)
	}
	a.Note(note + ": `handoff check " + id + "` says more")
	return err
}

// titleOf returns the title of a handoff for people, "" where nobody sees it.
func (a *App) titleOf(s *handoff.Store, id string) string {
	if !a.ForPeople() {
		return ""
	}
	e, err := s.Find(id)
	if err != nil {
		return ""
	}
	return handoff.Cut(s.Listed([]handoff.Entry{e})[0].Title, titleInLine)
}

const titleInLine = 60 // columns

// wholeIDs returns the ids of handoffs that people name.
func WholeIDs(s *handoff.Store, names []string) ([]string, error) {
	ids := make([]string, len(names))
	for i, name := range names {
		e, err := s.Find(name)
		if err != nil {
			return nil, err
		}
		ids[i] = e.ID
	}
	return ids, nil
}

// acted are the words for what an act has made of a handoff.
var acted = map[handoff.Act]string{
	handoff.ActTake: "taken", handoff.ActRelease: "given back", handoff.ActDone: "done", handoff.ActArchive: "archived",
	handoff.ActUnarchive: "brought back", handoff.ActApprove: "approved", handoff.ActReject: "rejected", handoff.ActReopen: "opened again",
}

// undoing says how to go on from an act, or how to take it back.
var undoing = map[handoff.Act]string{
	handoff.ActTake:    "finish it with `handoff done ID`, give it back with `handoff release ID`",
	handoff.ActDone:    "open it again: handoff done --undo ID",
	handoff.ActArchive: "bring it back: handoff archive --undo ID",
}
