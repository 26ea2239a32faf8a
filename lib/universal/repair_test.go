package universal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
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

func mustRepair(t failing, d *universal.Document, o universal.RepairOptions) universal.Repair {
	t.Helper()
	r, err := d.Repair(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRepairKeepsItsPromises(t *testing.T) {
	for _, encoding := range []string{"o200k_base", "chars4"} {
		for _, pattern := range []string{"good", "bad"} {
			names, err := filepath.Glob(filepath.Join(fixtures, pattern, "*.json"))
			if err != nil || len(names) == 0 {
				t.Fatalf("no documents: %v", err)
			}
			for _, name := range names {
				src := load(t, filepath.Join(pattern, filepath.Base(name)))
				if _, err := universal.Parse(src); err == nil {
					o := options()
					o.Encoding = encoding
					t.Run(filepath.Base(name), func(t *testing.T) { promises(t, src, o) })
				}
			}
		}
	}
}

// damaged draws a document: the full one with some of its places removed, replaced or filled with much text.
func damaged(t *rapid.T) []byte {
	root, err := jsontree.Parse(load(t, "good/full.json"))
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	list(root.Get("handoff"), "/handoff", &places)
	for range rapid.IntRange(0, 6).Draw(t, "edits") {
		place := rapid.SampledFrom(places).Draw(t, "place")
		i := strings.LastIndexByte(place, '/')
		holder := root.At(place[:i])
		if holder == nil || holder.Kind != jsontree.Object {
			continue
		}
		switch rapid.IntRange(0, 4).Draw(t, "edit") {
		case 0:
			holder.Delete(place[i+1:])
		case 1:
			holder.Set(rapid.SampledFrom([]string{"extra", "a/b", "~", "7"}).Draw(t, "key"), value(t))
		default:
			holder.Set(place[i+1:], value(t))
		}
	}
	return root.Append(nil)
}

func list(v *jsontree.Value, pointer string, places *[]string) {
	for i, item := range v.Items {
		list(item, fmt.Sprint(pointer, "/", i), places)
	}
	for _, m := range v.Members {
		*places = append(*places, pointer+"/"+m.Name)
		list(m.Value, pointer+"/"+m.Name, places)
	}
}

func value(t *rapid.T) *jsontree.Value {
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return &jsontree.Value{Kind: jsontree.Null}
	case 1:
		return jsontree.New(rapid.Bool().Draw(t, "bool"))
	case 2:
		return &jsontree.Value{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"0", "17", "3", "-1", "2001", "0.5", "1e300"}).Draw(t, "number")}
	case 3:
		return jsontree.NewArray(jsontree.NewString("one"), jsontree.New(2))
	case 4:
		return jsontree.NewObject(jsontree.Member{Name: "note", Value: jsontree.NewString(rapid.String().Draw(t, "note"))})
	case 5:
		return jsontree.NewString(strings.Repeat(rapid.SampledFrom([]string{"word ", "漢字", "\xed\xa0\xbd", "a"}).Draw(t, "unit"), rapid.IntRange(100, 4000).Draw(t, "times")))
	}
	return jsontree.NewString(rapid.SampledFrom([]string{"", "x", "2026-02-07T18:30:00+01:00", "medum", "code", "true", "report-writer", "survey-reader", "../..", "\ufffd"}).Draw(t, "text"))
}

func TestRepairOfDamagedDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { promises(t, damaged(t), options()) })
}

// The estimate of a valid document can exceed the largest token_count by more than 30 %: no repair changes that.
func TestRepairEndsAtTheLargestCount(t *testing.T) {
	root, err := jsontree.Parse(load(t, "good/full.json"))
	if err != nil {
		t.Fatal(err)
	}
	tags := jsontree.NewString(strings.Repeat("\ufffd", 12_000)) // a token for six characters
	root.Get("handoff").Get("tracing").Set("tags", jsontree.NewObject(jsontree.Member{Name: "tag", Value: tags}))
	once := mustRepair(t, mustParse(t, root.Append(nil)), options())
	if !once.OK() || !once.Changed {
		t.Fatalf("%+v", once.Attempts)
	}
	if again := mustRepair(t, once.Document, options()); again.Changed || len(again.Patch()) > 0 ||
		!slices.ContainsFunc(again.Report.Warnings, func(w fault.Fault) bool {
			return w.Pointer == "/handoff/meta/token_count" && !strings.Contains(w.Hint, "repair")
		}) {
		t.Errorf("changed %t by %v, warnings %v", again.Changed, again.Patch(), again.Report.Warnings)
	}
}

func TestWrittenFormIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := mustParse(t, damaged(t))
		written := mustParse(t, d.JSON())
		if !bytes.Equal(written.JSON(), d.JSON()) || written.View() != d.View() {
			t.Fatalf("written\n%s\nagain\n%s", d.JSON(), written.JSON())
		}
		before, err := d.Validate(options().Options)
		if err != nil {
			t.Fatal(err)
		}
		after, err := written.Validate(options().Options)
		if err != nil || before.Valid() && !after.Valid() || before.Mismatch != after.Mismatch && before.Valid() {
			t.Fatalf("%v is written as %v: %v", before.Faults, after.Faults, err)
		}
	})
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
		o := options()
		o.Encoding = "chars4"
		promises(t, src, o)
		if d.View() == "" || d.FileName() != filepath.Base(d.FileName()) {
			t.Fatalf("view %q, name %q", d.View(), d.FileName())
		}
	})
}

func TestRepairHonoursOptions(t *testing.T) {
	o := options()
	r := mustRepair(t, mustParse(t, load(t, "bad/required-null.json")), o)
	if got := r.Document.TraceID(); got != o.TraceID {
		t.Errorf("trace_id is %s", got)
	}
	if at, _ := r.Document.Timestamp(); !at.Equal(o.Now()) {
		t.Errorf("timestamp is %s", at)
	}
	o.SessionDir = "/home/ann/sessions/17/handoffs"
	r = mustRepair(t, mustParse(t, load(t, "bad/large-session.json")), o)
	if len(r.Moved) != 1 || !bytes.Contains(r.Document.Bytes(), []byte(o.SessionDir+"/"+r.Moved[0].Name)) {
		t.Fatalf("%d moved of %s", len(r.Moved), r.Document.Bytes())
	}
	src := bytes.ReplaceAll(load(t, "bad/large-session.json"), []byte("Interview"), []byte("Dialogues"))
	next := mustRepair(t, mustParse(t, src).Rehashed(), o)
	if a, b := r.Moved[0].Name, next.Moved[0].Name; a == b || !strings.HasPrefix(a, "session-context-3f2c8a1e-5b7d-4e90-9c61-0d4b7a2f8e13-") {
		t.Errorf("two documents of a chain leave %s and %s", a, b)
	}
	o.TraceID = ""
	r = mustRepair(t, mustParse(t, load(t, "bad/trace-id-climbs.json")), o)
	if id := r.Document.TraceID(); len(id) != 36 || id[14] != '4' {
		t.Errorf("a new trace_id is %s", id)
	}
}

func TestPatchIsRFC6902(t *testing.T) {
	r := mustRepair(t, mustParse(t, load(t, "bad/unknown-handoff-key.json")), options())
	got, err := json.Marshal(r.Patch()[1])
	want := `{"op":"remove","path":"/handoff/a~1b~0c","why":"unknown key"}`
	if err != nil || string(got) != want {
		t.Errorf("change %s, want %s (%v)", got, want, err)
	}
}

func TestUnusableOptions(t *testing.T) {
	d := mustParse(t, load(t, "good/minimal.json"))
	if _, err := d.Validate(universal.Options{}); !errors.Is(err, fault.ErrConfig) {
		t.Errorf("without rules: %v", err)
	}
	if _, err := d.Repair(universal.RepairOptions{Options: universal.Options{Rules: schema.Universal(), Encoding: "gpt"}}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("unknown encoding: %v", err)
	}
}

func TestFailureSaysEverything(t *testing.T) {
	r := mustRepair(t, mustParse(t, load(t, "bad/self-loop.json")), options())
	text := r.Failure()
	for _, part := range []string{"in 3 attempts", "attempt 1, defaults: 1 change, 1 fault left at the semantics stage", "attempt 2, compression", "attempt 3, working context only", `"survey-reader" hands over to itself`, "name the skill"} {
		if !strings.Contains(text, part) {
			t.Errorf("the report lacks %q:\n%s", part, text)
		}
	}
	text = mustRepair(t, mustParse(t, load(t, "bad/version-2.json")), options()).Failure()
	if !strings.Contains(text, "in 0 attempts") || !strings.Contains(text, "handoff record repair --help") {
		t.Errorf("report of another version:\n%s", text)
	}
}

func TestFilesOfLargeStrings(t *testing.T) {
	src := load(t, "bad/large-strings-in-working.json")
	r := mustRepair(t, mustParse(t, src), options())
	original, err := jsontree.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]string
	if err := json.Unmarshal(r.Moved[0].Bytes, &kept); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, pointer := range []string{"/handoff/payload/working/first", "/handoff/payload/working/second/list/1"} {
		want[pointer] = original.At(pointer).Text
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}
