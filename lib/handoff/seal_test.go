package handoff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/schema"
)

// A document in the stored form is judged like one that needs the YAML library: the same id, or the same fault at the
// same place. Rules of the caller count for both.
func TestStoredFormIsJudgedAlike(t *testing.T) {
	good := document.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: "alike", Time: "2026-05-07T12:00:00Z",
		References: []string{"https://example.org/it's"}, Tags: []string{"a", "b"}, Body: "# Body\n\n---\nmore"}
	strict := func(head any) []handoff.Fault {
		return append(schema.Frontmatter()(head), handoff.Fault{Pointer: "/tags", Problem: "no tags here"})
	}
	for name, edit := range map[string]func(*document.Document, *handoff.Options){
		"good":       func(*document.Document, *handoff.Options) {},
		"empty":      func(d *document.Document, _ *handoff.Options) { d.Body = "" },
		"blank":      func(d *document.Document, _ *handoff.Options) { d.Body = "\n\n  text" },
		"CR":         func(d *document.Document, _ *handoff.Options) { d.Body = "a\r\nb" },
		"future":     func(d *document.Document, _ *handoff.Options) { d.Time = "2026-05-17T12:00:00Z" },
		"before":     func(d *document.Document, _ *handoff.Options) { d.Time = "1969-05-17T12:00:00Z" },
		"no day":     func(d *document.Document, _ *handoff.Options) { d.Time = "2026-02-30T12:00:00Z" },
		"no slug":    func(d *document.Document, _ *handoff.Options) { d.To = "ben!" },
		"hidden":     func(d *document.Document, _ *handoff.Options) { d.References[0] = "a\u2028b" },
		"no version": func(d *document.Document, _ *handoff.Options) { d.SchemaVersion = "2.0" },
		"many tags":  func(d *document.Document, _ *handoff.Options) { d.Tags = strings.Fields(strings.Repeat("t ", 33)) },
		"long": func(d *document.Document, o *handoff.Options) {
			d.Body, o.MaxDocumentBytes = strings.Repeat("x", 5_000), 5_000
		},
		"a long head": func(d *document.Document, _ *handoff.Options) {
			d.References = strings.Fields(strings.Repeat(strings.Repeat("字", 1_000)+" ", 250))
		},
		"own rules": func(_ *document.Document, o *handoff.Options) { o.Rules = strict },
	} {
		for _, id := range []string{"", "sha256:" + strings.Repeat("0", 64)} {
			d := document.Clone(good)
			var said []string
			s := open(t, t.TempDir(), func(o *handoff.Options) { edit(&d, o) })
			if d.HandoffID, _ = document.ID(d); id != "" {
				d.HandoffID = id
			}
			stored := string(document.Render(d))
			for _, text := range []string{stored, strings.Replace(stored, "'1.0'", `"1.0"`, 1)} {
				all, err := s.TryGood([]handoff.Source{{Name: "it", Text: []byte(text)}})
				if err != nil {
					t.Fatal(err)
				}
				said = append(said, fmt.Sprint(all[0].Receipt.ID, all[0].Err))
			}
			if said[0] != said[1] {
				t.Errorf("%s: %s, in another form %s", name, said[0], said[1])
			}
			isGood := strings.HasPrefix(said[0], "sha256:")
			if isGood != (id == "" && slices.Contains([]string{"good", "empty"}, name)) {
				t.Errorf("%s: %s", name, said[0])
			}
		}
	}
}
