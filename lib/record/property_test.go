package record_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
)

// hostile draws a text of 1 to 128 characters out of everything that could end a block, a line or a view.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.StringN(1, 6, -1), rapid.SampledFrom([]string{"```", "````json handoff-record=run/1\n", "{}\n", "\n", "\r\n", "- ", "# ", "<br>", "\\", "\u202e", "\x00", "|", "é", "agent:", "---\n"}))
	return rapid.Map(rapid.SliceOfN(piece, 1, 6), func(pieces []string) string {
		text := "x"
		for _, p := range pieces {
			text += p
		}
		return text
	})
}

// drawn draws a valid record of each kind.
func drawn() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		text := func(name string) string { return hostile().Draw(t, name) }
		list := func(name string) []string { return rapid.SliceOfN(hostile(), 1, 3).Draw(t, name) }
		switch rapid.SampledFrom(record.Kinds()).Draw(t, "kind") {
		case "packet":
			return map[string]any{"objective": text("objective"), "completed": list("completed"), "unresolved": list("unresolved"), "assumptions": list("assumptions"),
				"next_action": text("next"), "risks": list("risks"), "updated_at": "2026-05-07T12:00:00Z", "resume_token": text("token"), text("extra"): list("more")}
		case "run":
			return map[string]any{"task_id": "t", "agent": "agent:codex", "summary": "s", "risks": list("risks"),
				"assumptions":       []any{map[string]any{"statement": text("statement"), "state": rapid.SampledFrom([]string{"open", "promoted", "refuted"}).Draw(t, "state")}},
				"next_steps":        []any{text("step")},
				"completed_actions": []any{map[string]any{"summary": text("action"), "ref": text("ref")}}}
		}
		return map[string]any{"handoff": map[string]any{"version": "3.0", "schema_type": "universal", "timestamp": "2026-02-07T18:30:00Z",
			"trace_id": "3f2c8a1e-5b7d-4e90-9c61-0d4b7a2f8e13", "source": map[string]any{"skill": text("skill"), "workflow_id": text("workflow"), "session_path": "/s", "phase": "1"},
			"target": map[string]any{"skill": "b"}, "context": map[string]any{"summary": text("summary"), "problem_type": "research"},
			"payload": map[string]any{"working": map[string]any{text("key"): list("value")}}, "meta": map[string]any{"token_count": 200, "confidence": "low"}}}
	})
}

// TestAnyRecordSurvives holds that every valid record is stored with a view that it gives, keeps all its texts, and is
// the same handoff when it is taken out and stored again.
func TestAnyRecordSurvives(t *testing.T) {
	o := options()
	o.Head.From, o.Head.Topic = "ann", "any"
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(drawn().Draw(t, "record"))
		if err != nil {
			t.Fatal(err)
		}
		made, err := record.Source("x.json", data, o).Make()
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if err := record.CheckBody(made.Body); err != nil {
			t.Fatalf("%v\n%s", err, made.Body)
		}
		block, err := record.Extract(handoff.Stored{Document: made.Document})
		if err != nil {
			t.Fatal(err)
		}
		again, err := record.Source("x.json", block.JSON, o).Make()
		if err != nil || !cmp.Equal(made, again) {
			t.Fatalf("%v: %s", err, cmp.Diff(made, again))
		}
		var before, after any
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(block.JSON, &after) != nil {
			t.Fatal(string(block.JSON))
		}
		have := map[string]bool{}
		texts(after, func(s string) { have[s] = true })
		texts(before, func(s string) {
			if !have[s] {
				t.Fatalf("%q is lost in %s", s, block.JSON)
			}
		})
	})
}

// texts visits every string of a JSON value.
func texts(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, item := range v {
			texts(item, visit)
		}
	case map[string]any:
		for name, item := range v {
			visit(name)
			texts(item, visit)
		}
	}
}
