package document_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/schema"
)

func addVectors(f *testing.F) {
	inputs, err := filepath.Glob("../../../testdata/vectors/*.md")
	if err != nil || len(inputs) == 0 {
		f.Fatalf("%d vectors found (%v)", len(inputs), err)
	}
	for _, input := range inputs {
		src, err := os.ReadFile(input)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
}

// FuzzParse: what is accepted is stored, and read again as the same document with the same id; schema
// and Shape agree on it.
func FuzzParse(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		draft, _ := document.Parse(src, maxBytes)
		faults := draft.Check(schema.Frontmatter())
		if byHand := draft.Check(document.Shape); (len(faults) == 0) != (len(byHand) == 0) {
			t.Fatalf("schema %v, by hand %v", faults, byHand)
		}
		for _, fault := range faults {
			if fault.Problem == "" || strings.ContainsAny(fault.String(), "\n\r\x1b\x00") {
				t.Fatalf("%q", fault.String())
			}
		}
		if len(faults) > 0 {
			return
		}
		d := draft.Document()
		id := identify(t, d)
		d.HandoffID = id
		again, faults := document.ParseStored(document.Render(d))
		if len(faults) > 0 || !cmp.Equal(d, again) || identify(t, again) != id {
			t.Fatalf("%v\n%s", faults, cmp.Diff(d, again))
		}
	})
}

// FuzzShape: of any head, also of one that no YAML gives, schema and Shape have the same verdict. head is a JSON object;
// value takes the place of each of its texts in turn.
func FuzzShape(f *testing.F) {
	const good = `{"schema_version":"1.0","from":"ann","to":"ben","topic":"note","ts_utc":"2025-03-04T05:06:07Z","references":["a"],"tags":["b"]}`
	for _, value := range []string{"", "1.0", "ann", "a b", "a\n", "\xff", "\u2028", "\u0085", "é", strings.Repeat("a", 65), strings.Repeat("a", 81), strings.Repeat("😀", 1024), strings.Repeat("\xff", 1025),
		"sha256:" + strings.Repeat("0", 64), "SHA256:" + strings.Repeat("0", 64), "2024-02-29T23:59:59.123456789Z", "2023-02-29T00:00:00Z", "2016-12-31T23:59:60Z", "2025-03-04T24:00:00Z", "2025-03-04t05:06:07Z"} {
		f.Add([]byte(good), value)
	}
	list := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	for _, head := range []string{`{}`, `{"a/b":1}`, `{"from":null,"to":[],"topic":{},"ts_utc":1e400,"schema_version":1.0}`, `{"references":"a","tags":{}}`, `{"references":[null,1,[]],"tags":[true]}`,
		good[:len(good)-1] + `,"handoff_id":"x","":""}`, `{"tags":` + list(33, `"x"`) + `}`, `{"references":` + list(257, `"x"`) + `}`, `{"references":` + list(256, `"x"`) + `,"tags":` + list(32, `"x"`) + `}`} {
		f.Add([]byte(head), "x")
	}
	f.Fuzz(func(t *testing.T, src []byte, value string) {
		var head map[string]any
		d := json.NewDecoder(bytes.NewReader(src))
		d.UseNumber()
		if d.Decode(&head) != nil || head == nil {
			return
		}
		agree := func() {
			t.Helper()
			if bySchema, byHand := schema.Frontmatter()(head), document.Shape(head); (len(bySchema) == 0) != (len(byHand) == 0) {
				t.Fatalf("%q: schema %v, by hand %v", head, bySchema, byHand)
			}
		}
		agree()
		for key, was := range head {
			if items, ok := was.([]any); ok {
				head[key] = append(slices.Clone(items), value)
			} else {
				head[key] = value
			}
			agree()
			head[key] = was
		}
		head[value] = value
		agree()
	})
}

// FuzzParseStored: the short way, which knows only what Render writes, and the long way, which every
// other line end takes, read the same.
func FuzzParseStored(f *testing.F) {
	addVectors(f)
	d := document.Document{SchemaVersion: "1.0", HandoffID: "sha256:" + strings.Repeat("0", 64), From: "a", To: "b", Topic: "c", Time: "2025-03-04T05:06:07Z"}
	f.Add(document.Render(d))
	d.References, d.Tags, d.Body = []string{"it's", "''"}, []string{"x", "-"}, "Hi.\n"
	f.Add(document.Render(d))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > maxBytes {
			return
		}
		short, faults := document.ParseStored(src)
		long, longFaults := document.ParseStored(append([]byte("\ufeff"), src...))
		if bytes.HasPrefix(src, []byte("\ufeff")) {
			return
		}
		if (len(faults) == 0) != (len(longFaults) == 0) || !cmp.Equal(short, long) {
			t.Fatalf("%v, %v\n%s", faults, longFaults, cmp.Diff(short, long))
		}
	})
}

// FuzzSplit: head and body are parts of the source, and cutting what was cut gives the same again.
func FuzzSplit(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		head, body, fault := document.Split(src)
		if fault != nil {
			return
		}
		joined := append(append(append([]byte("---\n"), head...), "---\n\n"...), body...)
		head2, body2, fault := document.Split(joined)
		if fault != nil || !bytes.Equal(head, head2) || !bytes.Equal(body, body2) {
			t.Fatalf("%v: %q %q, then %q %q", fault, head, body, head2, body2)
		}
		if bytes.IndexByte(body, '\r') >= 0 || len(head) > 0 && head[len(head)-1] != '\n' {
			t.Fatalf("%q %q", head, body)
		}
	})
}

// TestHostileHeads runs heads that blow up careless readers. Each is refused; a reader that expands or
// compares them all would not come back in the time that go test allows.
func TestHostileHeads(t *testing.T) {
	if testing.Short() {
		t.Skip("is about time, with much text")
	}
	fill := func(part func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < document.MaxHead-100; i++ {
			b.WriteString(part(i))
		}
		return b.String() + "\n"
	}
	always := func(s string) func(int) string { return func(int) string { return s } }
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 8), c-1)
	}
	for name, head := range map[string]string{
		"keys":       fill(func(i int) string { return fmt.Sprintf("k%d: v\n", i) }),
		"flow keys":  "{" + fill(always("a,")) + "}\n",
		"bomb":       bomb,
		"deep":       strings.Repeat("[", 300000) + "\n",
		"dashes":     fill(always("- ")),
		"directives": fill(func(i int) string { return fmt.Sprintf("%%TAG !a%d! x\n", i) }),
		"comments":   fill(always("a: b\n#\n")),
		"tabs":       fill(always("\t\n")),
		"tags":       "references: [" + strings.Repeat("! a, ", 900) + "'" + strings.Repeat("x", 600000) + "']\n",
		"long key":   "? " + fill(always("x")) + ": y\n",
	} {
		t.Run(name, func(t *testing.T) {
			draft, _ := document.Parse([]byte("---\n"+head+"---\n"), maxBytes)
			faults := draft.Check(schema.Frontmatter())
			if len(faults) == 0 || len(faults) > 1100 {
				t.Errorf("%d faults", len(faults))
			}
			for _, f := range faults {
				if len(f.String()) > 1000 {
					t.Errorf("a fault of %d bytes", len(f.String()))
				}
			}
		})
	}
}
