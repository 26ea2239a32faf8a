//go:build unix

package txn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A pruned handoff leaves no row and no file, in whatever index file it was. What is not archived, or differs from its
// export, stays.
func TestPrune(t *testing.T) {
	w := newWorld(t)
	w.Opt.IndexMaxRows = 2
	var all []txn.Removal
	for _, topic := range []string{"a", "b", "c", "d", "never-here"} {
		of := txn.Removal{Pruned: eventlog.Pruned{HandoffID: handoff(topic, "body of "+topic+"\n").HandoffID, Operator: "ann", Time: aTime}}
		if topic != "never-here" {
			w.publish(topic)
			of.SHA256 = journal.HashOf([]byte(w.read(fileOf(topic)))).String()
		}
		if topic != "b" && topic != "never-here" {
			if _, err := w.act(eventlog.ActArchive, topic, "ann", ""); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, of)
	}
	all[2].SHA256 = all[0].SHA256
	outcomes, err := txn.Prune(context.Background(), w.Store, all)
	if err != nil || outcomes[0] != nil || !errors.Is(outcomes[1], fault.ErrInvalid) || !errors.Is(outcomes[2], fault.ErrIntegrity) || outcomes[3] != nil || outcomes[4] != nil {
		t.Fatalf("%v, %v", outcomes, err)
	}
	for topic, there := range map[string]bool{"a": false, "b": true, "c": true, "d": false} {
		if (w.rows(topic) == 1) != there || w.isThere(fileOf(topic)) != there {
			t.Errorf("%s has %d rows, its file is there: %t", topic, w.rows(topic), w.isThere(fileOf(topic)))
		}
	}
	if w.publish("a"); w.rows("a") != 1 {
		t.Errorf("what was written again has %d rows", w.rows("a"))
	}
}
