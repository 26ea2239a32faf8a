package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// TestOracle holds that the library that is carried, which compiles its metaschemas late, accepts what the original
// accepts: schemas, files of the test data, and any frontmatter.
func TestOracle(t *testing.T) {
	c := oracle.NewCompiler()
	c.DefaultDraft(oracle.Draft2020)
	c.AssertFormat()
	judges := map[string]func(value any) (ours, theirs bool){}
	for _, name := range []string{"handoff-frontmatter", "packet-1", "universal-handoff-v3.0", "run-1"} {
		mine, err := compile(name)
		if err == nil {
			err = c.AddResource("handoff:///"+name, mine.source)
		}
		if err != nil {
			t.Fatal(err)
		}
		original := c.MustCompile("handoff:///" + name)
		judges[name] = func(value any) (bool, bool) {
			return mine.compiled.Validate(value) == nil, original.Validate(value) == nil
		}
	}
	files, _ := filepath.Glob("../testdata/*/*.json")
	read := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		value, err := oracle.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			continue
		}
		read++
		for name, judge := range judges {
			if ours, theirs := judge(value); ours != theirs {
				t.Errorf("%s by %s: %v, the original says %v", path, name, ours, theirs)
			}
		}
	}
	if read < 20 {
		t.Errorf("%d files", read)
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]any{"ann", "a b", "", nil, true, json.Number("1"), []any{"x"}, []any{json.Number("1")},
			"2025-03-04T05:06:07Z", "2023-02-29T00:00:00Z", "1.0", "sha256:" + strings.Repeat("0", 64)})
		keys := rapid.SampledFrom([]string{"from", "to", "topic", "ts_utc", "references", "tags", "schema_version", "x"})
		if ours, theirs := judges["handoff-frontmatter"](head(rapid.MapOf(keys, value).Draw(t, "head"))); ours != theirs {
			t.Fatalf("%v, the original says %v", ours, theirs)
		}
	})
	for _, text := range []string{`{"type":"text"}`, `{"minLength":-1}`, `{"required":"a"}`, `{"properties":{"a":1}}`, `{}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","if":7}`} {
		value, err := oracle.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_, ours := compileSource("made", value)
		if err = c.AddResource("handoff:///"+text, value); err == nil {
			_, err = c.Compile("handoff:///" + text)
		}
		if (ours == nil) != (err == nil) {
			t.Errorf("%s: %v, the original says %v", text, ours, err)
		}
	}
}
