//go:build unix

package txn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

func (w *world) act(a eventlog.Act, topic, operator, session string) (existing bool, err error) {
	w.Helper()
	err = w.locked(func(x *txn.Session) error {
		_, existing, err = x.Act(a, eventlog.Consumption{HandoffID: handoff(topic, "body of "+topic+"\n").HandoffID, Operator: operator, Session: session, Time: aTime}, txn.Lapse{})
		return err
	})
	return existing, err
}

// Actions in order, with the resulting state.
func TestActs(t *testing.T) {
	const done, existing, taken = "done", "existing", "taken"
	w := newWorld(t)
	w.publish("a", "b")
	for n, step := range []struct {
		act                    eventlog.Act
		topic, operator, sessn string
		want                   string
	}{
		{eventlog.ActRelease, "a", "ben", "", existing},
		{eventlog.ActTake, "a", "ben", "s", done},
		{eventlog.ActTake, "a", "ben", "s", existing},
		{eventlog.ActTake, "a", "ben", "", taken},
		{eventlog.ActTake, "a", "cy", "s", taken},
		{eventlog.ActTake, "b", "cy", "", done},
		{eventlog.ActRelease, "a", "cy", "s", taken},
		{eventlog.ActRelease, "a", "ben", "", done},
		{eventlog.ActRelease, "a", "ben", "", existing},
		{eventlog.ActTake, "a", "cy", "", done},
		{eventlog.ActDone, "a", "ben", "", taken},
		{eventlog.ActDone, "a", "cy", "t", done},
		{eventlog.ActDone, "a", "cy", "", existing},
		{eventlog.ActDone, "a", "ben", "", taken},
		{eventlog.ActRelease, "a", "cy", "", taken},
		{eventlog.ActTake, "a", "cy", "", taken},
		{eventlog.ActUnarchive, "a", "cy", "", existing},
		{eventlog.ActArchive, "a", "cy", "", done},
		{eventlog.ActArchive, "a", "ann", "", existing},
		{eventlog.ActUnarchive, "a", "ann", "", done},
		{eventlog.ActArchive, "a", "ann", "", done},
	} {
		was, err := w.act(step.act, step.topic, step.operator, step.sessn)
		got := done
		switch {
		case errors.As(err, new(*txn.TakenError)):
			got = taken
		case err != nil:
			t.Fatal(err)
		case was:
			got = existing
		}
		if got != step.want {
			t.Errorf("%d: %s of %s by %s: %s, want %s", n, step.act, step.topic, step.operator, got, step.want)
		}
	}
	if n := strings.Count(w.read(disk.Ledger), "\n"); n != 8 {
		t.Errorf("the ledger has %d lines", n)
	}
}

// The meaning of ledger lines does not depend on their order.
func TestLivesInAnyOrder(t *testing.T) {
	w := newWorld(t)
	w.publish("a")
	for _, who := range []string{"ben", "cy"} {
		for _, a := range []eventlog.Act{eventlog.ActTake, eventlog.ActRelease, eventlog.ActArchive, eventlog.ActUnarchive} {
			if _, err := w.act(a, "a", who, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.act(eventlog.ActTake, "a", "dan", ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(w.read(disk.Ledger), "\n")
	id := handoff("a", "body of a\n").HandoffID
	for turn := range lines {
		text := strings.Join(append(append([]string{}, lines[turn:]...), lines[:turn]...), "")
		for _, only := range []string{"", id} {
			l := (&txn.Ledger{Text: []byte(text)}).Lives(only)[id]
			if l.Take.Holds().Operator != "dan" || l.Take.N != 2 || l.Archive.Holds().IsDone() || l.Archive.N != 2 || l.Done.IsDone() {
				t.Fatalf("from line %d on: %+v", turn+1, l)
			}
		}
	}
}

func TestParseKey(t *testing.T) {
	id := "sha256:" + strings.Repeat("0a", 32)
	for key, ok := range map[string]bool{id + "#take.0": true, id + "#unarchive.12": true, id + "#done.0": true, id: false, "parser-move-0001": false,
		id + "#take.00": false, id + "#take": false, id + "#take.": false, id + "#give.0": false, "x#take.0": false, id + "#take.-1": false, id + "#take.0#take.0": false} {
		of, act, n, got := eventlog.ParseKey(key)
		if got != ok || ok && act.Key(of, n) != key {
			t.Errorf("%s: %s %s %d %t", key, of, act, n, got)
		}
	}
}
