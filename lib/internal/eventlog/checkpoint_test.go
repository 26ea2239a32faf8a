package eventlog_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

func TestParseCheckpoint(t *testing.T) {
	hash := strings.Repeat("a", 64)
	for _, text := range []string{"0:GENESIS", "1:" + hash, "12:" + hash} {
		for _, end := range []string{"", "\n"} {
			if c, err := eventlog.ParseCheckpoint(text + end); err != nil || c.String() != text {
				t.Errorf("%q is %v, %v", text+end, c, err)
			}
		}
	}
	for _, text := range []string{"", "\n", "1", "1:", ":" + hash, "0:" + hash, "1:GENESIS", "-1:" + hash, "01:" + hash, "+1:" + hash, "1:" + hash[1:], "1:" + strings.ToUpper(hash),
		"1:" + hash + ":", "1:" + hash + ":w-0123456789abcdef", "1:" + hash + "\n\n", " 1:" + hash} {
		if c, err := eventlog.ParseCheckpoint(text); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q is %v, %v", text, c, err)
		}
	}
}

// A log continues each of its checkpoints.
func TestLacks(t *testing.T) {
	one, first := link(t, eventlog.Genesis)
	two, second := link(t, first)
	for _, test := range []struct {
		name string
		eventlog.Checkpoint
		why string
	}{
		{"nothing yet", eventlog.Checkpoint{Count: 0, Hash: eventlog.Genesis}, ""},
		{"one event", eventlog.Checkpoint{Count: 1, Hash: first}, ""},
		{"the head", eventlog.Checkpoint{Count: 2, Hash: second}, ""},
		{"another event", eventlog.Checkpoint{Count: 1, Hash: second}, "handoff-events.jsonl:2: the log was rewritten"},
		{"more events", eventlog.Checkpoint{Count: 3, Hash: second}, "handoff-events.jsonl:4: its end was cut: it has 2 events"},
	} {
		r := read(t, "[marker\n"+one+two, test.Checkpoint)
		if why := r.Lacks(test.Checkpoint); !strings.Contains(why, test.why) || (why == "") != (test.why == "") {
			t.Errorf("%s: %q", test.name, why)
		}
		if r.Head().String() != "2:"+second {
			t.Errorf("%s: the head is %v", test.name, r.Head())
		}
	}
}

// link returns the line of an event, and its hash.
func link(t *testing.T, prev string) (line, hash string) {
	t.Helper()
	text, hash, err := eventlog.Link(prev, eventlog.TypeSurface, time.Unix(0, 0), map[string]int{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), hash
}

func read(t *testing.T, log string, checkpoints ...eventlog.Checkpoint) *eventlog.Reading {
	t.Helper()
	r, err := eventlog.Read(io.NewSectionReader(strings.NewReader(log), 0, int64(len(log))), checkpoints...)
	if err != nil || r.Bad != "" {
		t.Fatalf("%s: %v, %v", r.Bad, r.Why, err)
	}
	return r
}
