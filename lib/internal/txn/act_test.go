//go:build unix

package txn_test

import (
	"errors"
	"slices"
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

// Another clone may have any part of the lines that end a handoff. Its take is refused, or needs a line that
// is claimed.
func TestEndingIsSeenInPart(t *testing.T) {
	id := handoff("a", "body of a\n").HandoffID
	by := func(operator string) eventlog.Consumption {
		return eventlog.Consumption{HandoffID: id, Operator: operator, Time: aTime}
	}
	ledger := func(w *world) *txn.Ledger {
		w.Helper()
		l, err := txn.OpenTokens(w.Store)
		if err != nil {
			w.Fatal(err)
		}
		return l.Ledger
	}
	for _, isHeld := range []bool{true, false} {
		for part := range 4 {
			w := newWorld(t)
			w.publish("a")
			if isHeld {
				if _, err := w.act(eventlog.ActTake, "a", "ben", ""); err != nil {
					t.Fatal(err)
				}
			}
			ends, err := ledger(w).WantAct(eventlog.ActDone, by("ben"), txn.Lapse{})
			if err != nil || len(ends) != map[bool]int{true: 1, false: 2}[isHeld] {
				t.Fatal(ends, err)
			}
			if err := w.locked(func(x *txn.Session) (err error) {
				for i, line := range ends {
					if err == nil && part>>i&1 == 1 {
						_, err = x.TakeOverTokens([]eventlog.Consumption{line}, false)
					}
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			wants, err := ledger(w).WantAct(eventlog.ActTake, by("cy"), txn.Lapse{})
			isClaimed := slices.ContainsFunc(wants, func(c eventlog.Consumption) bool { return c.Token == ends[0].Token })
			if !errors.As(err, new(*txn.TakenError)) && !isClaimed {
				t.Errorf("held %v, part %b seen: cy wants %v, %v", isHeld, part, wants, err)
			}
		}
	}
}

// Many lines that come at once are one change, and leave what they leave one by one.
func TestLinesComeAtOnce(t *testing.T) {
	var topics []string
	var lines []eventlog.Consumption
	add := func(topic, operator string, act eventlog.Act, n int) {
		id := handoff(topic, "body of "+topic+"\n").HandoffID
		lines = append(lines, eventlog.Consumption{Token: act.Key(id, n), HandoffID: id, Operator: operator, Time: aTime})
	}
	for i := range 12 {
		topic := string(rune('a' + i))
		topics = append(topics, topic)
		add(topic, "ben", eventlog.ActTake, 0)
		add(topic, "cy", eventlog.ActTake, 0) // comes too late
		add(topic, "ben", eventlog.ActDone, 0)
		add(topic, "cy", eventlog.ActReopen, 0) // has not finished it
		if i%2 == 0 {
			add(topic, "ben", eventlog.ActReopen, 0)
			add(topic, "cy", eventlog.ActTake, 1)
		}
	}
	take := func(step int) (ledger, table string, isNew []bool, changes uint64) {
		w := newWorld(t)
		w.publish(topics...)
		before := w.newest()
		for some := range slices.Chunk(lines, step) {
			if err := w.locked(func(x *txn.Session) error {
				news, err := x.TakeOverTokens(some, false)
				isNew = append(isNew, news...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		return w.read(disk.Ledger), w.read(disk.IndexFile), isNew, w.newest() - before
	}
	ledger, table, isNew, _ := take(1)
	for _, step := range []int{5, len(lines)} {
		ledger2, table2, isNew2, changes := take(step)
		if ledger2 != ledger || table2 != table || !slices.Equal(isNew2, isNew) {
			t.Errorf("%d at once: %s\n%s\n%v\n\none by one: %s\n%s\n%v", step, ledger2, table2, isNew2, ledger, table, isNew)
		}
		if step == len(lines) && changes != 1 {
			t.Errorf("%d changes", changes)
		}
	}
}
