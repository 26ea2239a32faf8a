package document_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/schema"
)

var update = flag.Bool("update", false, "write the expected outcomes of the vectors anew")

// maxBytes is the default of the setting max_document_bytes.
const maxBytes = 1 << 20

var written = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// read does what a writer does before it publishes: it returns the document with its id, or faults.
func read(src []byte) (document.Document, []document.Fault) {
	draft, _ := document.Parse(src, maxBytes)
	faults := draft.Check(schema.Frontmatter())
	if len(faults) > 0 {
		return document.Document{}, faults
	}
	d := draft.Document()
	if f := document.CheckTime(d.Time, written); f != nil {
		f.Line, f.Column = draft.Locate(f.Pointer)
		return document.Document{}, []document.Fault{*f}
	}
	return d, nil
}

func identify(t interface{ Fatal(...any) }, d document.Document) string {
	id, err := document.ID(d)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// outcome writes what becomes of a document, in the form of the .want files.
func outcome(t *testing.T, src []byte) string {
	d, faults := read(src)
	if len(faults) > 0 {
		lines := []string{"refused"}
		for _, f := range faults {
			lines = append(lines, f.String())
		}
		return strings.Join(lines, "\n") + "\n"
	}
	id := identify(t, d)
	if d.HandoffID != "" && d.HandoffID != id {
		return "mismatch\nid " + id + "\n"
	}
	d.HandoffID = id
	stored := document.Render(d)
	again, faults := document.ParseStored(stored)
	if len(faults) > 0 || !cmp.Equal(again, d) {
		t.Errorf("the stored file does not read as what was stored: %v\n%s", faults, cmp.Diff(d, again))
	}
	return "id " + id + "\nfile " + document.FileName(d, 1, false) + "\nstored " + json.SHA256Hex(stored) + "\n"
}

func TestVectors(t *testing.T) {
	inputs, err := filepath.Glob("../../../testdata/vectors/*.md")
	if err != nil || len(inputs) < 2 {
		t.Fatalf("%d vectors found (%v)", len(inputs), err)
	}
	for _, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), ".md")
		if name == "README" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			expected := strings.TrimSuffix(input, ".md") + ".want"
			got := outcome(t, src)
			if *update {
				if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestVectorPairs finds expectations whose document is gone.
func TestVectorPairs(t *testing.T) {
	wants, err := filepath.Glob("../../../testdata/vectors/*.want")
	if err != nil || len(wants) == 0 {
		t.Fatalf("%d expectations found (%v)", len(wants), err)
	}
	for _, want := range wants {
		if _, err := os.Stat(strings.TrimSuffix(want, ".want") + ".md"); err != nil {
			t.Error(err)
		}
	}
}
