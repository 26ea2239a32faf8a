package life_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
)

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func row(n int, from, to, readBy string) index.Row {
	return index.Row{ID: id(n), File: "2026-05-07-a-b-t.md", From: from, To: to, Topic: "t", Time: "2026-05-07T12:00:00Z", ReadBy: readBy}
}

var now = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func TestStates(t *testing.T) {
	const read = "ben:2026-05-08T09:00:00Z"
	for _, test := range []struct {
		name string
		row  index.Row
		add  func(*life.Facts)
		want life.State
	}{
		{"nothing is known", row(1, "ann", "ben", ""), nil, life.Unread},
		{"somebody else has read it", row(1, "ann", "ben", "eve:2026-05-08T09:00:00Z"), nil, life.Unread},
		{"read", row(1, "ann", "ben", read), nil, life.Read},
		{"superseded by its sender", row(1, "ann", "ben", read), superseded("ann", "eve"), life.Superseded},
		{"superseded by its recipient", row(1, "ann", "ben", ""), superseded("ben", "ann"), life.Superseded},
		{"somebody else claims to supersede it", row(1, "ann", "ben", ""), superseded("eve", "ben"), life.Unread},
		{"expired", row(1, "ann", "ben", read), expires("2026-11-22T09:00:00Z"), life.Expired},
		{"not yet expired", row(1, "ann", "ben", ""), expires("2026-11-22T09:00:00.000000001Z"), life.Unread},
		{"taken", row(1, "ann", "ben", read), acts("take.0"), life.Taken},
		{"resumed", row(1, "ann", "ben", read), func(f *life.Facts) {
			f.AddEvent(eventlog.Consumption{HandoffID: id(1), Token: id(1) + "#take.0", Operator: "ben", Time: "2026-05-09T12:00:00Z"})
		}, life.Taken},
		{"given back", row(1, "ann", "ben", read), acts("take.0", "release.0"), life.Read},
		{"taken again", row(1, "ann", "ben", read), acts("take.1", "take.0", "release.0"), life.Taken},
		{"done", row(1, "ann", "ben", read), acts("take.0", "done.0"), life.Done},
		{"opened again", row(1, "ann", "ben", read), acts("take.0", "done.0", "reopen.0"), life.Read},
		{"opened again before it was heard that it is done", row(1, "ann", "ben", read), acts("reopen.0", "done.0"), life.Read},
		{"done once more", row(1, "ann", "ben", read), acts("done.0", "reopen.0", "done.1"), life.Done},
		{"ended by its sender, unread", row(1, "-", "ben", ""), acts("done.0"), life.Withdrawn},
		{"ended by its sender, read", row(1, "-", "ben", read), acts("done.0"), life.Done},
		{"ended by its sender, to themselves", row(1, "-", "-", ""), acts("done.0"), life.Done},
		{"archived", row(1, "ann", "ben", read), acts("done.0", "archive.0"), life.Archived},
		{"brought back", row(1, "ann", "ben", ""), acts("archive.0", "unarchive.0"), life.Unread},
		{"an event of another kind", row(1, "ann", "ben", ""), acts("sing.0"), life.Unread},
	} {
		f := life.NewFacts()
		if test.add != nil {
			test.add(f)
			test.add(f)
		}
		if got := f.State(test.row, now); got != test.want {
			t.Errorf("%s: %s instead of %s", test.name, got, test.want)
		}
	}
}

func superseded(from, to string, more ...string) func(*life.Facts) {
	return func(f *life.Facts) { f.AddDocument(id(2), from, to, append(more, "supersedes:"+id(1))) }
}

func acts(names ...string) func(*life.Facts) {
	return func(f *life.Facts) {
		for _, name := range names {
			f.AddEvent(eventlog.Consumption{HandoffID: id(1), Token: id(1) + "#" + name, Operator: "-", Time: "2026-05-09T12:00:00Z"})
		}
	}
}

func expires(at string) func(*life.Facts) {
	return func(f *life.Facts) { f.AddDocument(id(1), "ann", "ben", []string{"expires:" + at}) }
}

// Successors and replies are found from both sides, whichever is added first.
func TestBothSides(t *testing.T) {
	f := life.NewFacts()
	f.AddDocument(id(3), "ann", "ben", []string{"supersedes:" + id(1), "re:" + id(2)})
	f.AddDocument(id(2), "ben", "ann", []string{"supersedes:" + id(1), "re:" + strings.Repeat("x", 64)})
	if got := f.Successors(row(1, "ann", "ben", "")); len(got) != 2 {
		t.Errorf("it is superseded by %v", got)
	}
	if got := f.Of(id(2)); len(got.Replies) != 1 || got.Replies[0] != id(3) {
		t.Errorf("what is known is %+v", got)
	}
	if got := f.Of("nothing"); got.From != "" {
		t.Errorf("what is known of no handoff is %+v", got)
	}
}
