package schema

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/schema/jsonschema"
)

func TestSchemasCompile(t *testing.T) {
	names, err := filepath.Glob("*.schema.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d schemas found (%v)", len(names), err)
	}
	for _, name := range names {
		s, err := compile(strings.TrimSuffix(name, ".schema.json"))
		if err != nil {
			t.Error(err)
		}
		if patterns(t, s.source) == 0 {
			t.Errorf("%s: no pattern found", name)
		}
	}
}

// patterns compiles the patterns below a node of a schema, and counts them.
func patterns(t *testing.T, node any) (n int) {
	t.Helper()
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			n += patterns(t, item)
		}
	case map[string]any:
		for key, item := range node {
			if text, ok := item.(string); ok && key == "pattern" {
				n++
				if _, err := regexp.Compile(text); err != nil {
					t.Error(err)
				}
				continue
			}
			n += patterns(t, item)
		}
	}
	return n
}

func head(changes map[string]any) map[string]any {
	h := map[string]any{"schema_version": "1.0", "from": "ann", "to": "ben", "topic": "note", "ts_utc": "2025-03-04T05:06:07Z"}
	for key, value := range changes {
		h[key] = value
		if value == nil {
			delete(h, key)
		}
	}
	return h
}

func TestFrontmatter(t *testing.T) {
	const id = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		changes map[string]any
		want    []string // pointers of the faults, sorted
	}{
		"required only":         {nil, nil},
		"all":                   {map[string]any{"handoff_id": id, "references": []any{"a"}, "tags": []any{"x"}}, nil},
		"empty lists":           {map[string]any{"references": []any{}, "tags": []any{}}, nil},
		"missing":               {map[string]any{"from": nil, "topic": nil}, []string{"/from", "/topic"}},
		"unknown":               {map[string]any{"a/b": "x", "body": "x"}, []string{"/a~1b", "/body"}},
		"id in upper case":      {map[string]any{"handoff_id": strings.ToUpper(id)}, []string{"/handoff_id"}},
		"newline after slug":    {map[string]any{"topic": "note\n"}, []string{"/topic"}},
		"slug of 65":            {map[string]any{"from": strings.Repeat("a", 65)}, []string{"/from"}},
		"number":                {map[string]any{"from": json.Number("1")}, []string{"/from"}},
		"version":               {map[string]any{"schema_version": "1.1"}, []string{"/schema_version"}},
		"leap second":           {map[string]any{"ts_utc": "2016-12-31T23:59:60Z"}, []string{"/ts_utc"}},
		"no such day":           {map[string]any{"ts_utc": "2023-02-29T00:00:00Z"}, []string{"/ts_utc"}},
		"lower-case t":          {map[string]any{"ts_utc": "2025-03-04t05:06:07Z"}, []string{"/ts_utc"}},
		"code points":           {map[string]any{"references": []any{strings.Repeat("😀", 1024), strings.Repeat("a", 1025), ""}}, []string{"/references/1", "/references/2"}},
		"references not a list": {map[string]any{"references": "a"}, []string{"/references"}},
		"33 tags":               {map[string]any{"tags": anyOf(33, "x")}, []string{"/tags"}},
		"257 references":        {map[string]any{"references": anyOf(257, "x")}, []string{"/references"}},
	} {
		var got []string
		for _, f := range Frontmatter()(head(c.changes)) {
			got = append(got, f.Pointer)
			if f.Problem == "" || strings.Contains(f.String(), "\n") {
				t.Errorf("%s: %q", name, f.String())
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func anyOf(n int, item any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = item
	}
	return items
}

func TestSentences(t *testing.T) {
	got := Frontmatter()(head(map[string]any{"from": "a b", "to": []any{}, "topic": nil, "x": "y"}))
	want := []fault.Fault{
		{Pointer: "/from", Problem: `"a b" is not an operator name`, Hint: "use 1 to 64 ASCII letters, digits, _ and -"},
		{Pointer: "/to", Problem: "the value is a list, not a text", Hint: "use 1 to 64 ASCII letters, digits, _ and -"},
		{Pointer: "/topic", Problem: `required field "topic" is missing`, Hint: "use 1 to 80 ASCII letters, digits, _ and -"},
		{Pointer: "/x", Problem: `unknown field "x"`, Hint: "known are from, handoff_id, references, schema_version, tags, to, topic, ts_utc"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// made compiles a schema that no file holds.
func made(t *testing.T, text string) schema {
	t.Helper()
	source, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(sealed{})
	if err := c.AddResource("handoff:///made", source); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("handoff:///made")
	if err != nil {
		t.Fatal(err)
	}
	return schema{compiled, source}
}

// TestEveryKeyword shows a sentence of ours, not the fallback, for the keywords that schemas use.
func TestEveryKeyword(t *testing.T) {
	for _, c := range []struct{ rule, value, want string }{
		{`{"enum":["a",1,null]}`, `"b"`, `"b" is not one of "a", 1, null`},
		{`{"minLength":2}`, `"b"`, "the text has 1 characters, at least 2 are required"},
		{`{"minItems":1}`, `[]`, "is an empty list"},
		{`{"minimum":0}`, `-1`, "-1 is less than 0"},
		{`{"maximum":2000}`, `2000.5`, "2000.5 is more than 2000"},
		{`{"type":["string","null"]}`, `true`, "the value is true or false, not null or a text"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, "the value matches none of the allowed forms, or several"},
		{`{"$ref":"#/$defs/s","$defs":{"s":{"const":{}}}}`, `1`, "the value is 1, not an object"},
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.value))
		if err != nil {
			t.Fatal(err)
		}
		faults := made(t, c.rule).check(value)
		if len(faults) != 1 || faults[0].Problem != c.want {
			t.Errorf("%s on %s: %v, want %s", c.rule, c.value, faults, c.want)
		}
	}
}

func TestHintThroughReference(t *testing.T) {
	s := made(t, `{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"string","description":"write a text"}}}`)
	faults := s.check(map[string]any{"a": json.Number("1")})
	if len(faults) != 1 || faults[0].Hint != "write a text" {
		t.Error(faults)
	}
}

// TestUnsafeNumbers holds that no number makes the library panic, or compute for long: what is no double is refused.
func TestUnsafeNumbers(t *testing.T) {
	s := made(t, `{"additionalProperties":{"multipleOf":3,"minimum":0,"maximum":9}}`)
	for _, n := range []string{"1e1000001", "-1e1000000", "1e99999999999999999999", strings.Repeat("9", 401), "-1"} {
		faults := s.check(map[string]any{"a": json.Number(n)})
		if len(faults) != 1 || len(faults[0].String()) > 200 {
			t.Errorf("%.20s: %v", n, faults)
		}
	}
	for _, n := range []string{"3e0", "-1e-1000001", "1e-999999999"} { // the last two are read as 0
		if faults := s.check(map[string]any{"a": json.Number(n), "b": []any{json.Number("1e308")}}); len(faults) > 0 {
			t.Errorf("%s: %v", n, faults)
		}
	}
}

func TestOutsideReferences(t *testing.T) {
	for _, url := range []string{"file:///etc/passwd", "http://127.0.0.1/x", "handoff:///other"} {
		c := jsonschema.NewCompiler()
		c.UseLoader(sealed{})
		if err := c.AddResource("handoff:///made", map[string]any{"$ref": url}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile("handoff:///made"); err == nil || !strings.Contains(err.Error(), "not followed") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestUnknownSchema(t *testing.T) {
	if faults := rules("no-such")(nil); len(faults) != 1 {
		t.Error(faults)
	}
}

// TestAnyValue holds that no value makes rules panic, and that the order of faults does not change.
func TestAnyValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scalar := rapid.OneOf(rapid.Map(rapid.String(), asAny[string]), rapid.Map(rapid.Bool(), asAny[bool]), rapid.Just[any](nil),
			rapid.Map(rapid.SampledFrom([]json.Number{"1", "1e5", "-0", "1e99999"}), asAny[json.Number]))
		value := rapid.OneOf(scalar, rapid.Map(rapid.SliceOf(scalar), asAny[[]any]))
		keys := rapid.OneOf(rapid.SampledFrom([]string{"from", "to", "topic", "ts_utc", "references", "tags", "schema_version", "handoff_id"}), rapid.String())
		h := head(rapid.MapOf(keys, value).Draw(t, "head"))
		if diff := cmp.Diff(Frontmatter()(h), Frontmatter()(h)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func asAny[T any](v T) any { return v }

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := compile("handoff-frontmatter"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFrontmatter(b *testing.B) {
	h := head(map[string]any{"references": []any{"a", "b"}, "tags": []any{"x"}})
	for b.Loop() {
		if faults := Frontmatter()(h); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
