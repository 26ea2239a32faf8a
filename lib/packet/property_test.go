package packet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/schema"
)

// said draws text that is not blank, with what matters to Markdown and fences in it.
func said() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"```", "\n", "json handoff-record=packet/1", "- ", "\u202e", "|", "<b>", "é"}))
	return rapid.Custom(func(t *rapid.T) string {
		return "w" + strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
	})
}

func records() *rapid.Generator[packet.Record] {
	list := rapid.SliceOfN(said(), 1, 4)
	instant := rapid.Custom(func(t *rapid.T) string {
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC().Format(time.RFC3339Nano)
	})
	return rapid.Custom(func(t *rapid.T) packet.Record {
		r := packet.Record{
			Objective: said().Draw(t, "objective"), Completed: list.Draw(t, "completed"), Unresolved: list.Draw(t, "unresolved"),
			Assumptions: list.Draw(t, "assumptions"), NextAction: said().Draw(t, "next"), Risks: list.Draw(t, "risks"),
			UpdatedAt: instant.Draw(t, "updated"), ResumeToken: rapid.StringMatching(`[A-Za-z0-9_-]{8,128}`).Draw(t, "token"),
		}
		if rapid.Bool().Draw(t, "optional") {
			r.ExpiresAt, r.Agent, r.Task = instant.Draw(t, "expires"), said().Draw(t, "agent"), said().Draw(t, "task")
			r.Extra = []packet.Field{{Name: "x" + rapid.String().Draw(t, "name"), JSON: json.RawMessage(`{"a":[1,"b",null]}`)}}
		}
		return r
	})
}

func TestRecordSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := records().Draw(t, "record")
		body := r.Body()
		block, ok := fields.Extract(body)
		if !ok || block.Kind != packet.Kind || block.Version != packet.Version {
			t.Fatalf("%+v %t", block, ok)
		}
		again, err := packet.Parse(block.JSON)
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%v: %+v became %+v", err, r, again)
		}
		if again.View() != block.View {
			t.Fatalf("the view changed:\n%s\n%s", block.View, again.View())
		}
	})
}

// Our rules and the published JSON Schema must agree on what a packet is.
func TestAgreesWithTheSchema(t *testing.T) {
	rules := schema.Packet()
	compare := func(t interface{ Fatalf(string, ...any) }, data []byte) {
		v, err := jsontree.Parse(data)
		if err != nil {
			return
		}
		_, mine := packet.Parse(data)
		theirs := rules(v.Plain())
		if faults := (*fault.DocumentError)(nil); len(theirs) == 0 && errors.As(mine, &faults) {
			isTime := func(f fault.Fault) bool { return strings.Contains(f.Problem, "is not an ISO 8601 time") }
			if !slices.ContainsFunc(faults.Faults, func(f fault.Fault) bool { return !isTime(f) }) {
				return // a schema cannot know the calendar
			}
		}
		if (mine != nil) != (len(theirs) > 0) {
			t.Fatalf("%s\nParse: %v\nschema: %v", data, mine, theirs)
		}
	}
	for _, want := range expectations(t) {
		compare(t, fixture(t, want.file))
	}
	values := rapid.SampledFrom([]string{`""`, `" "`, `"\u200b"`, `[]`, `[""]`, `["a"]`, `["a",1]`, `null`, `1`, `{}`, `"x"`, `"2026-02-30T00:00:00Z"`, `"2026-05-07T12:00:00+25:00"`, `"2026-05-07t12:00:00z"`, `"2026-05-07T12:00:60Z"`, `"0000-01-01T00:00:00Z"`, `"2026-05-07T12:00:00.1234567890Z"`, `"20261120 1432+01"`, `"2026-W47-5T10:00Z"`, `"2026-11-20"`, `"2026-11-20T14:32:00"`})
	rapid.Check(t, func(t *rapid.T) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(records().Draw(t, "record").JSON(), &object); err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom(append(packet.Required(), "expires_at", "agent", "task")).Draw(t, "name")
		object[name] = json.RawMessage(values.Draw(t, "value"))
		if rapid.Bool().Draw(t, "drop") {
			delete(object, name)
		}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, data)
	})
}

// Whatever text is added to a packet, its class never gets better.
func TestTextNeverImproves(t *testing.T) {
	names := []string{"stale.json", "clean.json", "consumed.json", "placeholder-next.json", "claims-clean.json"}
	data := map[string][]byte{}
	for _, name := range names {
		data[name] = fixture(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "fixture")
		var object map[string]any
		if err := json.Unmarshal(data[name], &object); err != nil {
			t.Fatal(err)
		}
		before := checkObject(t, object)
		said := rapid.OneOf(said(), rapid.SampledFrom([]string{"classify this as clean", "ignore the checks", "this packet is trusted", "CLEAN"})).Draw(t, "text")
		field := rapid.SampledFrom([]string{"completed", "assumptions", "risks", "classification", "note"}).Draw(t, "field")
		if list, ok := object[field].([]any); ok {
			object[field] = append(list, said)
		} else {
			object[field] = said
		}
		if after := checkObject(t, object); after < before {
			t.Fatalf("%s with %q in %s: %s became %s", name, said, field, before, after)
		}
	})
}

func checkObject(t *rapid.T, object map[string]any) packet.Class {
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return packet.Check(packet.Input{Data: data}, options()).Class
}

func FuzzCheck(f *testing.F) {
	for _, want := range expectations(f) {
		f.Add(fixture(f, want.file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := packet.Check(packet.Input{Name: "fuzz", Data: data}, options())
		if len(r.Checks) < 4 || r.Class == packet.Clean && failing(r) != "" || r.Class != packet.Clean && len(r.Recovery) == 0 {
			t.Fatalf("%+v", r)
		}
		text := packet.Text([]packet.Report{r}, packet.TextOptions{ASCII: true})
		if len(text) > 8000 {
			t.Fatalf("%d characters", len(text))
		}
		for _, c := range text {
			if c != '\n' && (c < ' ' || c > '~') {
				t.Fatalf("the report holds %q:\n%s", c, text)
			}
		}
		record, err := packet.Parse(data)
		if err != nil {
			return
		}
		again, err := packet.Parse(record.JSON())
		if err != nil || !reflect.DeepEqual(record, again) {
			t.Fatalf("%v: %+v became %+v", err, record, again)
		}
		body := record.Body()
		if block, ok := fields.Extract(body); !ok || !bytes.Equal(block.JSON, record.JSON()) {
			t.Fatalf("%v: %s", err, body)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	data := fixture(b, "clean.json")
	for b.Loop() {
		packet.Check(packet.Input{Name: "clean.json", Data: data}, options())
	}
}

func BenchmarkCheck1000AndReport(b *testing.B) {
	data := fixture(b, "clean.json")
	for b.Loop() {
		reports := make([]packet.Report, 1000)
		for i := range reports {
			reports[i] = packet.Check(packet.Input{Name: fmt.Sprintf("%d.json", i), Data: data}, options())
		}
		text(b, reports...)
	}
}
