package universal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
)

type failing interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func mustParse(t failing, src []byte) *universal.Document {
	t.Helper()
	d, err := universal.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func load(t failing, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// rootOf returns the tree of a document.
func rootOf(t failing, src []byte) *jsontree.Value {
	t.Helper()
	root, err := jsontree.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// putting returns the full document with another value at a pointer.
func putting(t failing, pointer, value string) []byte {
	t.Helper()
	root := rootOf(t, load(t, "good/full.json"))
	root.At("/handoff/meta").Delete("payload_hash")
	root.At(filepath.Dir(pointer)).Set(filepath.Base(pointer), rootOf(t, []byte(value)))
	return root.Append(nil)
}

func TestRepairedValues(t *testing.T) {
	const payload, meta = "/handoff/payload", "/handoff/meta"
	for _, c := range []struct{ pointer, value, want string }{
		{"/handoff/version", `3.0`, `"3.0"`},
		{"/handoff/version", `null`, `"3.0"`},
		{"/handoff/schema_type", `"Universal"`, `"universal"`},
		{"/handoff/timestamp", `"2026-02-07T19:30:00+01:00"`, `"2026-02-07T18:30:00Z"`},
		{"/handoff/timestamp", `"2026-02-07 18:30"`, `"2026-02-07T18:30:00Z"`},
		{"/handoff/timestamp", `"2026-02-07"`, `"2026-02-07T00:00:00Z"`},
		{"/handoff/timestamp", `null`, `"2026-05-07T12:00:00Z"`},
		{"/handoff/source/phase", `2`, `"2"`},
		{"/handoff/target", `"report-writer"`, `{"skill":"report-writer"}`},
		{"/handoff/context/focus_areas", `"cost"`, `["cost"]`},
		{"/handoff/context/problem_type", `"reserch"`, `"research"`},
		{payload + "/references/files", `["/x", {"path": "/y"}]`, `[{"path":"/x"},{"path":"/y"}]`},
		{payload + "/references/files", `"/x"`, `[{"path":"/x"}]`},
		{payload + "/references/urls", `["https://example.org/a"]`, `[{"url":"https://example.org/a"}]`},
		{payload + "/working", `"half done"`, `{"notes":"half done"}`},
		{meta, `null`, ""},
		{meta + "/confidence", `"medum"`, `"medium"`},
		{meta + "/confidence", `"odd"`, `"medium"`},
		{meta + "/token_count", `"130"`, ""},
	} {
		r := mustParse(t, putting(t, c.pointer, c.value)).Repair(options())
		if got := rootOf(t, r.Document.Bytes()).At(c.pointer).String(); !r.Report.Valid() || c.want != "" && got != c.want {
			t.Errorf("%s: %s becomes %s, want %s: %v", c.pointer, c.value, got, c.want, r.Report.Faults)
		}
	}
}

// TestNothingIsGuessed holds that a value with another meaning, a misspelled name, and an entry that does not fit stay faults.
func TestNothingIsGuessed(t *testing.T) {
	for pointer, value := range map[string]string{
		"/handoff/version":                  `"2.0"`,
		"/handoff/timestamp":                `1770489000`,
		"/handoff/expires_at":               `"some day"`,
		"/handoff/expire_at":                `"2026-09-01T00:00:00Z"`,
		"/handoff/context/problem_type":     `"bugfix"`,
		"/handoff/payload/references/files": `[{"file": "/x"}]`,
		"/handoff/meta/user_approved":       `"yes"`,
		"/handoff/meta/payload_hash":        `"sha1:00"`,
		"/handoff/meta/handoff_chain":       `["a","b","report-writer","c","d","e","f","g","h","i","j","survey-reader"]`,
	} {
		r := mustParse(t, putting(t, pointer, value)).Repair(options())
		if pointer == "/handoff/payload/references/files" { // the third attempt removes them
			if !bytes.Contains(r.Cut, []byte(`"/x"`)) {
				t.Errorf("%s: cut %s", pointer, r.Cut)
			}
			continue
		}
		if r.Report.Valid() {
			t.Errorf("%s: %s is repaired: %v", pointer, value, r.Changes)
		}
	}
}

func TestCompression(t *testing.T) {
	for name, want := range map[string]string{
		"large-prompt":             "/handoff/expires_at /handoff/context/original_prompt",
		"large-session":            "/handoff/payload/session",
		"large-strings-in-working": "/handoff/payload/working/first /handoff/payload/working/second/list/1",
		"large-references":         "/handoff/payload/references",
	} {
		r := mustParse(t, load(t, "bad/"+name+".json")).Repair(options())
		var places []string
		for _, change := range r.Changes {
			if at, _, _ := strings.Cut(change, ":"); !strings.HasPrefix(at, "/handoff/meta/") {
				places = append(places, at)
			}
		}
		if got := strings.Join(places, " "); got != want || !r.Report.Valid() {
			t.Errorf("%s: changed %s, want %s; faults %v", name, got, want, r.Report.Faults)
		}
		if moved := name == "large-session"; moved != (r.Session != nil) || moved != bytes.Contains(r.Document.Bytes(), []byte(options().SessionFile)) {
			t.Errorf("%s: moved %t", name, r.Session != nil)
		}
		if (r.Cut != nil) != (name != "large-session") {
			t.Errorf("%s: cut %s", name, r.Cut)
		}
	}
}

// damaged draws a document: the full one with some of its places removed or replaced.
func damaged(t *rapid.T) []byte {
	root := rootOf(t, load(t, "good/full.json"))
	var places []string
	root.Walk("", nil, func(at string, in *jsontree.Member, _ *jsontree.Value) {
		if in != nil {
			places = append(places, at)
		}
	})
	for range rapid.IntRange(0, 6).Draw(t, "edits") {
		place := rapid.SampledFrom(places).Draw(t, "place")
		holder := root.At(filepath.Dir(place))
		if !holder.Is(jsontree.Object) {
			continue
		}
		holder.Set(rapid.SampledFrom([]string{filepath.Base(place), "extra", "~"}).Draw(t, "key"), rootOf(t, []byte(rapid.SampledFrom([]string{
			"null", "true", "17", "0.5", `["one", 2]`, `{"note": "x"}`, `""`, `"x"`, `"medum"`, `"report-writer"`, `"2026-02-07T18:30:00+01:00"`, "[[]]",
			`"` + strings.Repeat("word ", 2000) + `"`, `"` + strings.Repeat("漢字", 300) + `"`}).Draw(t, "value"))))
	}
	return root.Append(nil)
}

// promises checks what a repair promises for any document: nothing of the original changes, a result that is valid stays as
// it is, and a long text is in the document or beside it.
func promises(t failing, src []byte) {
	t.Helper()
	d := mustParse(t, src)
	r := d.Repair(options())
	if !bytes.Equal(d.JSON(), rootOf(t, src).Append(nil)) {
		t.Fatal("the original was changed")
	}
	if got := mustParse(t, r.Document.Bytes()).Validate(options().Options); fmt.Sprint(got.Faults) == "[]" != r.Report.Valid() {
		t.Fatalf("%v, %v", got.Faults, r.Report.Faults)
	}
	if again := r.Document.Repair(options()); r.Report.Valid() && len(again.Changes) > 0 {
		t.Fatalf("repaired again: %v", again.Changes)
	}
	rootOf(t, src).Walk("", nil, func(at string, _ *jsontree.Member, v *jsontree.Value) {
		there := [][]byte{r.Document.JSON(), r.Cut, r.Session}
		if len(v.Str()) > 100 && !slices.Contains([]string{"/handoff/trace_id", "/handoff/meta/token_count"}, at) && !slices.ContainsFunc(there, func(b []byte) bool { return bytes.Contains(b, []byte(v.Text)) }) {
			t.Fatalf("%q is lost: %v", v.Text, r.Changes)
		}
	})
}

func TestRepairKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { promises(t, damaged(t)) })
}

func FuzzRepair(f *testing.F) {
	for _, name := range []string{"good/full.json", "bad/wrong-types.json", "bad/large-session.json", "bad/words-misspelt.json", "bad/duplicate-key.json"} {
		f.Add(load(f, name))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := universal.Parse(src)
		if err != nil {
			if !errors.Is(err, fault.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		d.Repair(options())
		if d.View() == "" || d.FileName() != filepath.Base(d.FileName()) {
			t.Fatalf("view %q, name %q", d.View(), d.FileName())
		}
	})
}
