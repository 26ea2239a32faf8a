package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An acting is an action on handoffs by a command.
type acting struct {
	*cli.App
	handoff.Project
	store *handoff.Store
	act   handoff.Act
	who   handoff.Who

	then func(*handoff.ActReceipt) error // runs after the action, before its receipt is printed; nil does nothing
}

// newActing returns an action of the operator and session of a command.
func newActing(a *cli.App, act handoff.Act, who handoff.Who, ids ...string) (*acting, error) {
	p, s, err := a.ProjectStore()
	if err != nil {
		return nil, err
	}
	if who.Operator, err = a.Acting(p, s, a.Who.Operator, ids...); err != nil {
		return nil, err
	}
	who.Session = a.SessionID()
	return &acting{App: a, Project: p, store: s, act: act, who: who}, nil
}

// perform performs an action on handoffs; none stand for @.
func perform(a *cli.App, act handoff.Act, ids []string, who handoff.Who) error {
	do, err := newActing(a, act, who, ids...)
	if err != nil {
		return err
	}
	return do.all(ids)
}

func (do *acting) all(ids []string) (err error) {
	if len(ids) == 0 {
		ids = []string{"@"}
	}
	ids, atHand := slices.Clone(ids), ""
	for i, id := range ids {
		if id == "@" {
			if ids[i], err = do.meant(); err != nil {
				return err
			}
			atHand = ids[i]
		}
	}
	err = do.store.Lifecycle().ActAll(context.Background(), do.act, ids, do.who, func(got handoff.ActReceipt) error {
		var failed error
		if do.then != nil {
			failed = do.then(&got)
		}
		return errors.Join(do.print(got), failed)
	})
	if atHand != "" && err == nil {
		do.NoteNewer(do.store, do.who.Operator, doing[do.act].word, atHand)
	}
	return err
}

// meant returns the handoff that @ means for the action: to take or archive it the one that was read last, to undo an
// action the last of that kind, otherwise the one that the operator and session hold.
func (do *acting) meant() (id string, err error) {
	me := do.who.Operator
	switch do.act {
	case handoff.ActTake, handoff.ActSteal, handoff.ActArchive:
		return do.ReadLast(do.store, me)
	case handoff.ActReopen:
		id = do.store.Lifecycle().Last(me, handoff.ActDone)
	case handoff.ActUnarchive:
		id = do.store.Lifecycle().Last(me, handoff.ActArchive)
	case handoff.ActWithdraw:
		sent, err := do.store.List(handoff.Filter{From: me, Unread: true})
		if err != nil {
			return "", err
		}
		if len(sent) > 0 {
			return sent[len(sent)-1].ID, nil
		}
	default:
		id, err = do.Taken(do.store, me, do.who.Session)
		if held := do.Held(do.store, me, do.who.Session); len(held) > 1 {
			verb := map[bool]string{true: "done ", false: "take --undo "}[do.act == handoff.ActDone]
			err = cli.WithHint(err, "run `handoff "+verb+cli.Short(held[0].ID, cli.Shortest)+"`")
		}
		return id, err
	}
	if id == "" {
		err = cli.Invalid("name the handoff; `handoff list --all` shows them", "@: nothing to undo")
	}
	return id, err
}

// doing has the word for the result of an action, and the command that undoes it.
var doing = map[handoff.Act]struct{ word, undo string }{
	handoff.ActTake:      {"took", "take --undo %s"},
	handoff.ActSteal:     {"took", "take --undo %s"},
	handoff.ActRelease:   {"gave back", "take %s"},
	handoff.ActDone:      {"finished", "done --undo %s"},
	handoff.ActReopen:    {"reopened", "done %s"},
	handoff.ActArchive:   {"archived", "archive --undo %s"},
	handoff.ActUnarchive: {"unarchived", "archive %s"},
	handoff.ActWithdraw:  {"withdrew", "read %s --raw | handoff write -"},
}

// print prints the receipt of an action: on a terminal a line with the title and the command that undoes it. An agent
// gets what it took.
func (do *acting) print(got handoff.ActReceipt) error {
	if got.Act == handoff.ActTake && agent.Inside(do.Getenv) != "" && !do.JSON {
		do.Committed()
		do.ForAgents = true
		return do.read(readFlags{Agent: "plain"}, got.ID)
	}
	id := cli.Short(got.ID, cli.Shortest)
	line := doing[got.Act].word + " " + id + ": " + do.TitleOf(do.store, got.ID)
	if got.Until != "" {
		line += ", until " + got.Until
	}
	if got.Told != nil {
		line += "; shown to " + strings.Join(got.Told, ", ") + " before"
	}
	line += "; undo: `handoff " + fmt.Sprintf(doing[got.Act].undo, id) + "`"
	if got.Status == handoff.StatusExisting {
		line = id + " was " + string(got.State) + " before; nothing changed"
	}
	return do.Did(got, line)
}

// read shows a handoff that the operator has just taken.
func (do *acting) read(f readFlags, id string) error {
	return reading{do.App, f, do.Project, do.store, do.who.Operator, true}.read(id)
}
