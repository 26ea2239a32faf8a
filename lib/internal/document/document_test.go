package document_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/schema"
)

const minimal = "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: note\nts_utc: '2025-03-04T05:06:07Z'\n---\n\nHi.\n"

// documents generates valid documents, nasty strings included.
func documents() *rapid.Generator[document.Document] {
	return rapid.Custom(func(t *rapid.T) document.Document {
		slug := rapid.StringMatching(`[A-Za-z0-9_-]{1,12}`)
		text := rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune(`'"\/:#-?&*!|>%@{}[], `+"\ufeff\u00a0\u200b\U0001f600e\u0301~=<"))), rapid.String(),
			rapid.SampledFrom([]string{"null", "---", "...", " a ", "- x", "a: b", "'", "''", "\ufeff", `\`, `c:\/x`}))
		reference := rapid.Map(text, isClean).Filter(func(s string) bool { return s != "" && utf8.RuneCountInString(s) <= 1024 })
		body := rapid.Map(rapid.String(), func(s string) string {
			return strings.TrimLeft(strings.NewReplacer("\r", "", "\x00", "").Replace(s), " \t\n")
		})
		d := document.Document{
			SchemaVersion: "1.0",
			HandoffID:     "sha256:" + rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "id"),
			From:          slug.Draw(t, "from"),
			To:            slug.Draw(t, "to"),
			Topic:         slug.Draw(t, "topic"),
			Time:          time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "time"), 0).UTC().Format(time.RFC3339),
			Body:          body.Draw(t, "body"),
		}
		if n := rapid.SliceOfN(reference, 0, 4).Draw(t, "references"); len(n) > 0 {
			d.References = n
		}
		if n := rapid.SliceOfN(slug, 0, 4).Draw(t, "tags"); len(n) > 0 {
			d.Tags = n
		}
		return d
	})
}

// clean drops the characters that no string of a head may hold.
func isClean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef {
			return -1
		}
		return r
	}, s)
}

func TestRenderIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := documents().Draw(t, "document")
		stored := document.Render(d)
		for _, src := range [][]byte{stored, bytes.ReplaceAll(stored, []byte("\n"), []byte("\r\n")), append([]byte("\ufeff"), stored...)} {
			again, faults := document.ParseStored(src)
			if len(faults) > 0 {
				t.Fatalf("%v\n%s", faults, src)
			}
			if diff := cmp.Diff(d, again); diff != "" {
				t.Fatal(diff)
			}
		}
		draft, _ := document.Parse(stored, maxBytes)
		if faults := draft.Check(schema.Frontmatter()); len(faults) > 0 {
			t.Fatal(faults)
		}
	})
}

// TestComposeIsParse holds the two ways into a draft to the same verdict and result.
func TestComposeIsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := documents().Draw(t, "document")
		fields := d
		fields.Body = "\n \t\r\n" + d.Body
		draft, _ := document.Compose(fields)
		if faults := draft.Check(schema.Frontmatter()); len(faults) > 0 {
			t.Fatal(faults)
		}
		if diff := cmp.Diff(d, draft.Document()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestComposeRefuses(t *testing.T) {
	good := document.Document{SchemaVersion: "1.0", From: "a", To: "b", Topic: "c", Time: "2025-03-04T05:06:07Z"}
	for pointer, change := range map[string]func(*document.Document){
		"/from":         func(d *document.Document) { d.From = "a b" },
		"/topic":        func(d *document.Document) { d.Topic = "" },
		"/references/0": func(d *document.Document) { d.References = []string{"a\nb"} },
		"/references/1": func(d *document.Document) { d.References = []string{"a", "\ufdd0"} },
		"/tags/0":       func(d *document.Document) { d.Tags = []string{"é"} },
		"/body":         func(d *document.Document) { d.Body = "\xff" },
	} {
		d := good
		change(&d)
		draft, _ := document.Compose(d)
		faults := draft.Check(schema.Frontmatter())
		if len(faults) != 1 || faults[0].Pointer != pointer {
			t.Errorf("%s: %v", pointer, faults)
		}
	}
}

func TestFileName(t *testing.T) {
	d := document.Document{From: "ann", To: "ben", Topic: "note", Time: "2025-03-04T05:06:07Z"}
	for n, want := range map[int]string{0: "", 1: "2025-03-04-ann-ben-note.md", 2: "2025-03-04-ann-ben-note-2.md", 100: "2025-03-04-ann-ben-note-100.md", 101: ""} {
		if got := document.FileName(d, n, false); got != want {
			t.Errorf("FileName(%d) = %q, want %q", n, got, want)
		}
	}
	if got := document.FileName(document.Document{}, 1, false); got != "" {
		t.Errorf("a document without a time has the name %q", got)
	}
}

func TestParseStored(t *testing.T) {
	if _, faults := document.ParseStored([]byte(minimal)); len(faults) != 1 || faults[0].Pointer != "/handoff_id" {
		t.Errorf("a stored file without an id: %v", faults)
	}
	d := document.Document{SchemaVersion: "1.0", HandoffID: "sha256:" + strings.Repeat("0", 64), From: "a", To: "b", Topic: "c", Time: "9999-12-31T23:59:59Z"}
	d.Body = strings.Repeat("x", 2<<20)
	if _, faults := document.ParseStored(document.Render(d)); len(faults) > 0 {
		t.Errorf("2 MiB from the year 9999: %v", faults)
	}
	d.Body = strings.Repeat("x", document.MaxStored)
	if _, faults := document.ParseStored(document.Render(d)); len(faults) == 0 {
		t.Error("a stored file over the cap is read")
	}
}

func TestSizes(t *testing.T) {
	src := minimal + strings.Repeat("x", 100)
	if _, faults := document.Parse([]byte(src), len(src)); len(faults) > 0 {
		t.Error(faults)
	}
	if _, faults := document.Parse([]byte(src), len(src)-1); len(faults) != 1 {
		t.Error("one byte too many is accepted")
	}
	for extra, want := range map[int]int{0: 0, 1: 1} {
		head := minimal[4:strings.Index(minimal, "\n---\n")]
		pad := document.MaxHead - len(head) - len("\n#\n") + extra
		_, faults := document.Parse([]byte("---\n"+head+"\n#"+strings.Repeat("x", pad)+"\n---\n"), maxBytes)
		if len(faults) != want {
			t.Errorf("a head of %+d bytes: %v", extra, faults)
		}
	}
	quotes := document.Document{References: []string{strings.Repeat("'", document.MaxHead/2)}}
	if document.CheckSize(document.Render(quotes), 2*maxBytes) == nil || document.CheckSize(document.Render(document.Document{}), 20) == nil {
		t.Error("a rendered document that Parse would refuse passes")
	}
}

func TestCheckTime(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ts            string
		write, stored bool
	}{
		{"1970-01-01T00:00:00Z", true, true},
		{"1969-12-31T23:59:59.999999999Z", false, true},
		{"0000-01-01T00:00:00Z", false, true},
		{"2026-12-02T00:00:00Z", true, true},
		{"2026-12-02T00:00:00.1Z", false, true},
		{"2024-02-29T23:59:59.999999999Z", true, true},
		{"2023-02-29T00:00:00Z", false, false},
		{"2016-12-31T23:59:60Z", false, false},
		{"2025-03-04T05:06:07,5Z", false, false},
		{"2025-03-04T05:06:07.Z", false, false},
		{"2025-03-04T5:06:07Z", false, false},
		{"", false, false},
	} {
		if got := document.CheckTime(c.ts, now) == nil; got != c.write {
			t.Errorf("at write, %q: %v", c.ts, got)
		}
		if got := form.IsInstant(c.ts); got != c.stored {
			t.Errorf("stored, %q: %v", c.ts, got)
		}
	}
}

// TestFaultsAreLines holds that no content of a document can break the line of its fault.
func TestFaultsAreLines(t *testing.T) {
	for _, src := range []string{"\"x\\u001b[31m\\ny\": z\n", "a: *\u202ex\n", "a: &\u202ex y\n", "to: !\u202ex y\n", "to: \"a\\nb\"\n"} {
		draft, _ := document.Parse([]byte("---\n"+src+"---\n"), maxBytes)
		for _, f := range draft.Check(schema.Frontmatter()) {
			if strings.ContainsAny(f.String(), "\n\x1b\u202e") {
				t.Errorf("%q", f.String())
			}
		}
	}
	if f := (document.Fault{Pointer: "/a\x1b", Problem: "x"}); strings.Contains(f.String(), "\x1b") {
		t.Errorf("%q", f.String())
	}
}

// TestEveryFieldHasARow finds a field of Document that is not stored: it changes each in turn and looks for it in the
// stored file, the id, and what is read again.
func TestEveryFieldHasARow(t *testing.T) {
	base := document.Document{SchemaVersion: "1.0", HandoffID: "sha256:" + strings.Repeat("0", 64), From: "a", To: "b", Topic: "c", Time: "2025-03-04T05:06:07Z", Body: "x\n"}
	kind := reflect.TypeFor[document.Document]()
	for i := range kind.NumField() {
		changed := base
		switch f := reflect.ValueOf(&changed).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		default:
			t.Fatalf("%s is neither text nor a list", kind.Field(i).Name)
		}
		if bytes.Equal(document.Render(changed), document.Render(base)) {
			t.Errorf("%s is not stored", kind.Field(i).Name)
		}
		if same := identify(t, changed) == identify(t, base); same != (kind.Field(i).Name == "HandoffID") {
			t.Errorf("the id covers %s: %t", kind.Field(i).Name, !same)
		}
	}
}

func TestOwnerBelowARule(t *testing.T) {
	whole := "schema_version: \"1.0\"\nfrom: a\nto: b\ntopic: c\nts_utc: \"2025-03-04T05:06:07Z\"\n---\n"
	for text, want := range map[string]document.Owner{
		"---\n\n\n" + whole:              document.Complete,
		"---\n" + whole:                  document.Complete,
		"---\n\nto: b\n---\n":            document.Nobody,
		"---\n\nowner: b\n\n---\n# Text": document.Nobody,
		"---\n\n" + whole[:40]:           document.Nobody,
		"---\nto: b\n---\n":              document.Partial,
	} {
		if owner, _ := document.OwnerOf([]byte(text)); owner != want {
			t.Errorf("document.OwnerOf(%q) = %v, want %v", text, owner, want)
		}
	}
}
