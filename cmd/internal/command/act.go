package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// printAct prints the receipt of an action: on a terminal a line with the title, and below it how to undo the action;
// otherwise JSON. It notes if the handoff is closed.
func printAct(a *cli.App, s *handoff.Store, got handoff.ActReceipt) error {
	id := cli.Short(got.ID, cli.Shortest)
	state := cmp.Or(got.State, handoff.StateUnread)
	act := got.Act
	if state == handoff.StateWithdrawn {
		act = handoff.ActWithdraw
	}
	words, next := actionDone[act], nextSteps[act]
	line := fmt.Sprintf("%s %s by %s: %s (%s)", a.StateSign(state), words, got.Operator, a.TitleOf(s, got.ID), id)
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
		note += []string{" by ", " and by "}[min(i, 1)] + cli.Short(by, cli.Shortest)
	}
	a.Note(note + ": see `handoff check " + id + "`")
	return err
}

// actionDone maps an action to the words for its result.
var actionDone = map[handoff.Act]string{
	handoff.ActTake: "taken", handoff.ActRelease: "released", handoff.ActDone: "done", handoff.ActArchive: "archived",
	handoff.ActUnarchive: "unarchived", handoff.ActReopen: "reopened", handoff.ActWithdraw: "withdrawn",
}

// nextSteps maps an action to the commands that continue or undo it.
var nextSteps = map[handoff.Act]string{
	handoff.ActTake:     "finish it with `handoff done ID`, give it back with `handoff release ID`",
	handoff.ActDone:     "reopen it: handoff done --undo ID",
	handoff.ActWithdraw: "send it again: handoff done --undo ID",
	handoff.ActArchive:  "unarchive it: handoff archive --undo ID",
}
