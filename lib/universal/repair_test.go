package universal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// apply applies a JSON Patch to a value, reading RFC 6902 apart from the code under test.
func apply(t failing, root *jsontree.Value, patch []universal.Change) {
	t.Helper()
	for _, c := range patch {
		i := strings.LastIndexByte(c.Path, '/')
		holder, name := root.At(c.Path[:i]), strings.NewReplacer("~1", "/", "~0", "~").Replace(c.Path[i+1:])
		if holder == nil {
			t.Fatalf("%s %s: nothing holds it", c.Op, c.Path)
		}
		var value *jsontree.Value
		if c.Op != "remove" {
			v, err := jsontree.Parse(c.Value)
			if err != nil {
				t.Fatalf("%s %s: %v", c.Op, c.Path, err)
			}
			value = v
		}
		at, _ := strconv.Atoi(name)
		switch there := root.At(c.Path) != nil; {
		case c.Op == "add" && holder.Kind == jsontree.Array && at == len(holder.Items):
			holder.Items = append(holder.Items, value)
		case c.Op == "add" && there, c.Op != "add" && !there:
			t.Fatalf("%s %s: there is %v", c.Op, c.Path, there)
		case c.Op == "remove":
			holder.Delete(name)
		case holder.Kind == jsontree.Array:
			holder.Items[at] = value
		default:
			holder.Set(name, value)
		}
	}
}

// promises checks what a repair promises, whatever the document is.
func promises(t failing, src []byte, o universal.RepairOptions) {
	t.Helper()
	d := mustParse(t, src)
	r := mustRepair(t, d, o)
	if len(r.Attempts) > 3 || r.OK() != (r.Document != nil) {
		t.Fatalf("%d attempts, document %v", len(r.Attempts), r.Document)
	}
	if !bytes.Equal(d.Bytes(), src) {
		t.Fatalf("the original was changed")
	}
	neverGrows(t, r)
	if !r.OK() {
		if len(r.Report.Faults) == 0 || r.Failure() == "" || len(r.Moved) > 0 {
			t.Fatalf("a failure without a fault, or with files: %s", r.Failure())
		}
		return
	}
	report, err := r.Document.Validate(o.Options)
	if err != nil || !report.Valid() {
		t.Fatalf("repaired, but %v, %v", report.Faults, err)
	}
	root, err := jsontree.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	nothingLost(t, root, "", r)
	apply(t, root, r.Patch())
	if got, err := jsontree.Parse(r.Document.Bytes()); err != nil || r.Changed && root.String() != got.String() {
		t.Fatalf("the patch gives\n%s\nthe document is\n%s (%v)", root, r.Document.Bytes(), err)
	}
	if again := mustRepair(t, r.Document, o); again.Changed {
		t.Fatalf("a repaired document is repaired again: %v", again.Patch())
	}
}

func neverGrows(t failing, r universal.Repair) {
	t.Helper()
	if len(r.Attempts) < 2 {
		return
	}
	before, after := r.Attempts[0].Report.Budget, r.Attempts[1].Report.Budget
	if before == nil || after == nil {
		return
	}
	if after.Estimate > before.Estimate || after.AtLeast == before.AtLeast && after.Tokens > before.Tokens {
		t.Fatalf("compression makes %d tokens of %d", after.Tokens, before.Tokens)
	}
}

// computed are the places whose values are converted or counted, not kept.
var computed = map[string]bool{"timestamp": true, "expires_at": true, "token_count": true, "trace_id": true, "payload_hash": true, "user_approved": true, "version": true}

// nothingLost looks for every text of the original in the repaired document and in the files beside it.
func nothingLost(t failing, v *jsontree.Value, name string, r universal.Repair) {
	t.Helper()
	if v.Kind == jsontree.String && !computed[name] && !computed[renamed(name, r)] {
		quoted := jsontree.AppendQuoted(nil, v.Text)
		found := bytes.Contains(r.Document.JSON(), quoted) || bytes.Contains(r.Document.Bytes(), quoted)
		for _, f := range r.Moved {
			found = found || bytes.Contains(f.Bytes, quoted)
		}
		if !found {
			t.Fatalf("%q of %s is lost; patch %v", v.Text, name, r.Patch())
		}
	}
	for _, item := range v.Items {
		nothingLost(t, item, name, r)
	}
	for _, m := range v.Members {
		nothingLost(t, m.Value, m.Name, r)
	}
}

// renamed returns the field that was found under another name, "" for none.
func renamed(name string, r universal.Repair) string {
	for _, c := range r.Patch() {
		if field, ok := strings.CutPrefix(c.Why, "renamed to "); ok && fault.PointerName(c.Path[strings.LastIndexByte(c.Path, '/')+1:]) == name {
			return field
		}
	}
	return ""
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
		return jsontree.NewBool(rapid.Bool().Draw(t, "bool"))
	case 2:
		return &jsontree.Value{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"0", "17", "3", "-1", "2001", "0.5", "1e300"}).Draw(t, "number")}
	case 3:
		return jsontree.NewArray(jsontree.NewString("one"), jsontree.NewInt(2))
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
	if got := r.Document.TraceID(); got != o.NewID() {
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
	o.NewID = nil
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
	if !strings.Contains(text, "in 0 attempts") || !strings.Contains(text, "handoff repair --help") {
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
