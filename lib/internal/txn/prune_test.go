//go:build unix

package txn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

var anything = func(index.Row, eventlog.Life) error { return nil }

func (w *world) prune(may func(index.Row, eventlog.Life) error, topics ...string) ([]error, error) {
	var all []txn.Removal
	for _, topic := range topics {
		all = append(all, txn.Removal{Pruned: eventlog.Pruned{HandoffID: handoff(topic, "body of "+topic+"\n").HandoffID, Operator: "ann", Time: aTime}})
	}
	return txn.Prune(context.Background(), w.Store, all, may)
}

// A pruned handoff leaves no row and no file, in whatever index file it was. It is stored again only on
// request.
func TestPrune(t *testing.T) {
	w := newWorld(t)
	w.Opt.IndexMaxRows = 2
	for _, topic := range []string{"a", "b", "c", "d"} {
		w.publish(topic)
	}
	refused := errors.New("it is open")
	outcomes, err := w.prune(func(row index.Row, _ eventlog.Life) error {
		if row.Topic == "b" {
			return refused
		}
		return nil
	}, "a", "b", "d", "never-here")
	if err != nil || outcomes[0] != nil || outcomes[1] != refused || outcomes[2] != nil || outcomes[3] != nil {
		t.Fatalf("%v, %v", outcomes, err)
	}
	for topic, there := range map[string]bool{"a": false, "b": true, "c": true, "d": false} {
		if (w.rows(topic) == 1) != there || w.isThere(fileOf(topic)) != there {
			t.Errorf("%s has %d rows, its file is there: %t", topic, w.rows(topic), w.isThere(fileOf(topic)))
		}
	}
	for _, topic := range []string{"a", "never-here"} {
		if err := publish(w.Store, topic); !errors.As(err, new(*txn.PrunedError)) || !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s was stored again: %v", topic, err)
		}
	}
	w.Opt.Restore = true
	w.publish("a")
	w.Opt.Restore = false
	if err := publish(w.Store, "a"); err != nil || w.rows("a") != 1 {
		t.Errorf("what was restored is not there: %v, %d rows", err, w.rows("a"))
	}
	if _, err := w.prune(anything, "a"); err != nil || w.rows("a") != 0 {
		t.Errorf("what was restored cannot be pruned again: %v", err)
	}
}

// A handoff that differs from its export stays.
func TestPruneOfAnotherText(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	b := txn.Removal{Pruned: eventlog.Pruned{HandoffID: handoff("a", "body of a\n").HandoffID, Operator: "ann", Time: aTime}, SHA256: strings.Repeat("0", 64)}
	outcomes, err := txn.Prune(context.Background(), w.Store, []txn.Removal{b}, anything)
	if err != nil || !errors.Is(outcomes[0], fault.ErrIntegrity) || w.rows("a") != 1 || !w.isThere(fileOf("a")) {
		t.Errorf("%v, %v", outcomes, err)
	}
}
