package eventlog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

func TestLink(t *testing.T) {
	at := time.Date(2026, 5, 7, 12, 0, 0, 123456789, time.UTC)
	line, hash, err := eventlog.Link(eventlog.Genesis, "handoff.write", at, map[string]int{"n": 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"event_type":"handoff.write","payload":{"n":1},"prev_hash":"GENESIS","primitive_id":"L6","redaction_applied":null,"schema_version":"1.1.0","ts_utc":"2026-05-07T12:00:00.123456Z"}` + "\n"
	if string(line) != want {
		t.Errorf("got  %swant %s", line, want)
	}
	if got, err := eventlog.HashLine(bytes.TrimSpace(line)); err != nil || got != hash {
		t.Errorf("HashLine gave %s, %v; Next gave %s", got, err, hash)
	}
	signed := strings.Replace(string(line), `{"event_type"`, `{"signature":"x","signing_key_id":"k","event_type"`, 1)
	if got, err := eventlog.HashLine([]byte(signed)); err != nil || got != hash {
		t.Errorf("the signature counts in the hash: %s, %v", got, err)
	}
	if _, err := eventlog.HashLine([]byte("[MARKER]")); err == nil {
		t.Error("a line that is not an object has a hash")
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("x", 20<<10)
	tests := []struct{ name, log, last, torn string }{
		{"empty", "", "", ""},
		{"one", "a\n", "a", ""},
		{"two", "a\nb\n", "b", ""},
		{"torn", "a\nb\nc", "b", "c"},
		{"only torn", "abc", "", "abc"},
		{"marker last", "a\n[seal]\n", "a", ""},
		{"markers only", "[a]\n[b]\n", "", ""},
		{"empty line last", "a\n\n", "a", ""},
		{"long line", "a\n" + long + "\n", long, ""},
		{"long line before markers", long + "\n" + strings.Repeat("[m]\n", 5000), long, ""},
		{"zeros in the last", "a\nb\nc\x00\x00d\n", "b", "c\x00\x00d\n"},
		{"zeros in the last two", "a\nb\x00\n\x00d\n", "a", "b\x00\n\x00d\n"},
		{"zeros and no end", "a\nb\x00\nc", "a", "b\x00\nc"},
		{"zeros before a whole line", "a\nb\x00\nc\n", "c", ""},
		{"long torn line", "a\n" + long, "a", long},
	}
	for _, test := range tests {
		last, end, err := eventlog.Tail(strings.NewReader(test.log), int64(len(test.log)))
		if err != nil || string(last) != test.last || test.log[end:] != test.torn {
			t.Errorf("%s: last %.20q, torn %.20q, %v", test.name, last, test.log[end:], err)
		}
	}
}

// Tail does not read a line that is longer than any event to its beginning.
func TestTailIsBounded(t *testing.T) {
	log := "a\n" + strings.Repeat("\x00", disk.MaxEvent)
	if last, _, err := eventlog.Tail(strings.NewReader(log), int64(len(log))); !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("last %.20q, %v", last, err)
	}
	if e := eventlog.ParseEvent(eventlog.Line{Text: []byte(log), Number: 1}); e.Err == nil || !strings.Contains(e.Err.Error(), "more than") {
		t.Errorf("a line of %d bytes: %v", len(log), e.Err)
	}
}

// Tail must agree with reading the whole log from its beginning.
func TestTailIsTheLastLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"event\n", "[m]\n", "\n", strings.Repeat("y", 5000) + "\n", "torn"})).Draw(t, "log"), "")
		var want string
		var end int64
		for line := range strings.Lines(log) {
			text, whole := strings.CutSuffix(line, "\n")
			if whole {
				end += int64(len(line))
			}
			if whole && text != "" && text[0] != '[' {
				want = text
			}
		}
		last, gotEnd, err := eventlog.Tail(strings.NewReader(log), int64(len(log)))
		if err != nil || string(last) != want || gotEnd != end {
			t.Fatalf("Tail(%.40q) gave %.40q and %d, %v; want %.40q and %d", log, last, gotEnd, err, want, end)
		}
	})
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\nb\n[c]\nd"))
	f.Fuzz(func(t *testing.T, log []byte) {
		last, end, err := eventlog.Tail(bytes.NewReader(log), int64(len(log)))
		if err != nil || end < 0 || end > int64(len(log)) || !bytes.Contains(log, last) {
			t.Fatalf("last %q, end %d, %v", last, end, err)
		}
	})
}

// Skim finds the same chain and payload in a line as ParseEvent, and all of an event that did not store a handoff.
func TestSkim(t *testing.T) {
	at := time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC)
	for _, kind := range []string{eventlog.TypeWrite, eventlog.TypeImport, eventlog.TypeMarkRead} {
		payload := map[string]any{"handoff_id": "x", "topic": `},"prev_hash":"`, "z": map[string]any{"a": 1}}
		line, hash, err := eventlog.Link(eventlog.Genesis, kind, at, payload, nil)
		if err != nil {
			t.Fatal(err)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		got, want := eventlog.Skim(eventlog.Line{Text: line}), eventlog.ParseEvent(eventlog.Line{Text: line})
		if got.Type != kind || got.Hash != hash || got.Prev != want.Prev || got.Err != nil || got.End() != want.End() {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
		if skimmed := got.Content == nil; skimmed != (kind != eventlog.TypeMarkRead) {
			t.Errorf("%s: skimmed: %v", kind, skimmed)
		}
		if !bytes.Equal(got.Payload, want.Payload) {
			t.Errorf("%s: the payload is %s", kind, got.Payload)
		}
	}
	for _, line := range []string{"", "{", `{"event_type":"handoff.write","payload":{},"prev_hash":"x"}`} {
		if e := eventlog.Skim(eventlog.Line{Text: []byte(line)}); e.Err == nil {
			t.Errorf("%s: %+v", line, e)
		}
	}
}
