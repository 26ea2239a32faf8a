package cli

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// PrintAct prints what was done: a line on a terminal, JSON elsewhere. That it is of no use any more is a note.
func (a *App) PrintAct(got handoff.ActReceipt) error {
	id := Short(got.ID, Shortest)
	line := fmt.Sprintf("%s is %s by %s", id, acted[got.Act], got.Operator)
	if got.State == string(handoff.StateWithdrawn) && got.Act == handoff.ActDone {
		line = fmt.Sprintf("%s is withdrawn by %s", id, got.Operator)
	}
	switch existing := got.Status == handoff.StatusExisting; {
	case existing && got.Act == handoff.ActRelease:
		line = id + " is left as it was: nobody had taken it"
	case existing && got.Act == handoff.ActReopen:
		line = id + " is left as it was: it was not done"
	case existing:
		line += ", since " + got.Time
	case undoing[got.Act] != "":
		line += "; to take that back: handoff " + undoing[got.Act] + " " + id
	}
	err := a.Did(got, line)
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
	handoff.ActUnarchive: "brought back", handoff.ActApprove: "approved", handoff.ActReject: "rejected", handoff.ActReopen: "open again, reopened",
}

// undoing are the commands that take back what an act has made of a handoff.
var undoing = map[handoff.Act]string{
	handoff.ActTake: "release", handoff.ActDone: "done --undo", handoff.ActArchive: "archive --undo",
}
