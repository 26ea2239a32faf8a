package eventlog_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

func readAll(t interface{ Fatal(...any) }, log string) *eventlog.Reading {
	r, err := eventlog.Read(io.NewSectionReader(strings.NewReader(log), 0, int64(len(log))))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The size of the pieces in which a log is read makes no difference: each event keeps its line and can be
// read again.
func TestReadAnyLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log strings.Builder
		prev, want := eventlog.Genesis, make(map[string]int)
		for line := range rapid.IntRange(0, 8).Draw(t, "lines") {
			if rapid.IntRange(0, 3).Draw(t, "is a marker") == 0 {
				size := rapid.SampledFrom([]int{0, 1, 100, 4096, 4096, 1 << 20, disk.MaxEvent + 5}).Draw(t, "size")
				log.WriteString(strings.Repeat("[", size) + "\n")
				continue
			}
			id := fmt.Sprintf("sha256:%064x", line)
			size := rapid.SampledFrom([]int{1, 1, 100, 100, 100, 100, 700_000}).Draw(t, "size")
			text, hash, err := eventlog.Link(prev, eventlog.TypeWrite, time.Unix(0, 0), eventlog.Written{HandoffID: id, Tags: []string{strings.Repeat("t", size)}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			prev, want[id] = hash, line+1
			log.Write(text)
		}
		r := readAll(t, log.String())
		if r.Bad != "" || r.Torn != "" || r.Count != len(want) || r.Head().Hash != prev {
			t.Fatalf("%d events of %d, bad %s: %v, torn %s", r.Count, len(want), r.Bad, r.Why, r.Torn)
		}
		for id, line := range want {
			h := r.Of(id)
			if w, err := r.Written(h); h.Line != line || err != nil || w.HandoffID != id {
				t.Errorf("line %d is found in %d, and read again as %.80v, %v", line, h.Line, w, err)
			}
		}
	})
}

func TestReadBadLogs(t *testing.T) {
	one, first := link(t, eventlog.Genesis)
	two, second := link(t, first)
	long := strings.Repeat("x", disk.MaxEvent+1) + "\n"
	for _, test := range []struct {
		name, log string
		count     int
		bad, torn string // places
	}{
		{"nothing", "", 0, "", ""},
		{"two events", one + two, 2, "", ""},
		{"an order of its own", two + one, 0, "handoff-events.jsonl:1", ""},
		{"one twice", one + one, 1, "handoff-events.jsonl:2", ""},
		{"no event between", one + "no\n" + two, 1, "handoff-events.jsonl:2", ""},
		{"a long line", one + long + two, 1, "handoff-events.jsonl:2", ""},
		{"a long line at the end", one + long, 1, "handoff-events.jsonl:2", ""},
		{"half a line", one + two[:20], 1, "", "handoff-events.jsonl:2"},
		{"a line without its end", one + strings.TrimSuffix(two, "\n"), 1, "", "handoff-events.jsonl:2"},
		{"zeros", one + strings.Repeat("\x00", 100), 1, "", "handoff-events.jsonl:2"},
		{"zeros in a line", one + "\x00\x00" + two[2:], 1, "", "handoff-events.jsonl:2"},
		{"a marker and half a line", "[m]\n" + one + "{", 1, "", "handoff-events.jsonl:3"},
	} {
		r := readAll(t, test.log)
		if r.Count != test.count || r.Bad != test.bad || r.Torn != test.torn || (r.Why == nil) != (r.Bad == "") {
			t.Errorf("%s: %d events, bad %q: %v, torn %q", test.name, r.Count, r.Bad, r.Why, r.Torn)
		}
		if want := map[int]string{0: eventlog.Genesis, 1: first, 2: second}[test.count]; r.Head().Hash != want {
			t.Errorf("%s: the head is %v", test.name, r.Head())
		}
	}
}

// chain links events into a log.
func chain(t *testing.T, events ...eventlog.Pending) string {
	t.Helper()
	var log strings.Builder
	prev := eventlog.Genesis
	for _, e := range events {
		line, hash, err := eventlog.Link(prev, e.Type, time.Unix(0, 0), e.Payload, nil)
		if err != nil {
			t.Fatal(err)
		}
		prev = hash
		log.Write(line)
	}
	return log.String()
}

const someID = "sha256:00000000000000000000000000000000000000000000000000000000000000ab"

func TestFacts(t *testing.T) {
	wrote := func(topic string) eventlog.Pending {
		return eventlog.Pending{Type: eventlog.TypeWrite, Payload: eventlog.Written{HandoffID: someID, Topic: topic}}
	}
	marked := func(operator, at string) eventlog.Pending {
		return eventlog.Pending{Type: eventlog.TypeMarkRead, Payload: eventlog.MarkedRead{HandoffID: someID, OperatorID: operator, Time: at}}
	}
	repaired := func(r eventlog.Repaired) eventlog.Pending {
		return eventlog.Pending{Type: eventlog.TypeRepair, Payload: r}
	}
	const early, late = "2026-05-08T09:00:00Z", "2026-05-08T10:00:00Z"
	for _, test := range []struct {
		name    string
		events  []eventlog.Pending
		line    int
		readBy  string
		aside   bool
		repeats int
	}{
		{"written", []eventlog.Pending{wrote("a")}, 1, "", false, 0},
		{"written and read", []eventlog.Pending{wrote("a"), marked("ben", early), marked("eve", late)}, 1, "ben:" + early + ",eve:" + late, false, 0},
		{"read twice", []eventlog.Pending{wrote("a"), marked("ben", early), marked("ben", late)}, 1, "ben:" + early, false, 1},
		{"read by nobody", []eventlog.Pending{wrote("a"), marked("no name", early), marked("ben", "today")}, 1, "", false, 0},
		{"written twice", []eventlog.Pending{wrote("a"), wrote("b"), marked("ben", early)}, 1, "ben:" + early, false, 1},
		{"read before it is written", []eventlog.Pending{marked("ben", early), wrote("a")}, 2, "ben:" + early, false, 0},
		{"put aside", []eventlog.Pending{wrote("a"), marked("ben", early), repaired(eventlog.Repaired{Quarantined: []string{someID}})}, 1, "ben:" + early, true, 0},
		{"put aside and written again", []eventlog.Pending{wrote("a"), marked("ben", early), repaired(eventlog.Repaired{Quarantined: []string{someID}}), wrote("a")}, 4, "", false, 0},
		{"superseded", []eventlog.Pending{wrote("a"), marked("ben", early), repaired(eventlog.Repaired{Superseded: []string{someID}}), wrote("b")}, 4, "ben:" + early, false, 0},
	} {
		r := readAll(t, chain(t, test.events...))
		h := r.Of(someID)
		var marks []string
		for _, m := range h.Marks() {
			marks = append(marks, m.Operator+":"+m.Time)
		}
		if r.Bad != "" || h.Line != test.line || strings.Join(marks, ",") != test.readBy || h.Aside != test.aside || r.Repeats != test.repeats {
			t.Errorf("%s: %+v, %d repeats, bad %s: %v", test.name, h, r.Repeats, r.Bad, r.Why)
		}
	}
	both := readAll(t, chain(t, wrote("a"), marked("ben", early), marked("ben", late))).Of(someID)
	for at, want := range map[string]bool{early: true, late: true, "2026-05-08T11:00:00Z": false} {
		if both.HasMark(index.Mark{Operator: "ben", Time: at}) != want {
			t.Errorf("a mark of %s is recorded: %v", at, !want)
		}
	}
}

// After a break of the chain nothing is proven.
func TestUnproven(t *testing.T) {
	log := chain(t, eventlog.Pending{Type: eventlog.TypeSurface, Payload: map[string]int{}},
		eventlog.Pending{Type: eventlog.TypeWrite, Payload: eventlog.Written{HandoffID: someID}},
		eventlog.Pending{Type: eventlog.TypeResume, Payload: eventlog.Resumed{Consumption: eventlog.Consumption{Token: "some-token", HandoffID: someID}}})
	for name, text := range map[string]string{"changed": strings.Replace(log, eventlog.Genesis, "NOTHING", 1), "no JSON any more": strings.ReplaceAll(log, `,"ts_utc"`, `"ts_utc"`)} {
		r := readAll(t, text)
		if r.Count != 0 || r.Of(someID).IsWritten() || len(r.Resumes) != 0 {
			t.Errorf("%s: %d events prove something", name, r.Count)
		}
	}
}
