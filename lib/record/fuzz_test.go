package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

// FuzzSource holds, for any text taken for any kind: it is refused with a class, or it becomes a handoff whose
// view its record gives, whose record becomes the same handoff again, and in which nothing is a credential.
func FuzzSource(f *testing.F) {
	for _, pattern := range []string{"packet/*.json", "run/*/*.json", "universal/*/*.json"} {
		names, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for i, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 3<<10 {
				f.Add(data, byte(i%8))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		o := options()
		o.Head.From, o.Head.Topic = "ann", "fuzz"
		o.Kind = append(record.Kinds(), "")[choice%4]
		o.Redact = choice%8 >= 4
		made, err := record.Source("x.json", data, o).Make()
		if err != nil {
			if !errors.Is(err, handoff.ErrInvalid) && !errors.Is(err, handoff.ErrIntegrity) {
				t.Fatalf("an error without a class: %v", err)
			}
			return
		}
		if err := record.CheckBody(made.Body); err != nil {
			t.Fatalf("%v\n%s", err, made.Body)
		}
		block := blockOf(t, made.Document)
		if !json.Valid(block.JSON) {
			t.Fatalf("stored %s", block.JSON)
		}
		o.Kind, o.Redact = block.Kind, false
		again, err := record.Source("x.json", block.JSON, o).Make()
		if err != nil || !cmp.Equal(again.Document, made.Document) {
			t.Fatalf("%v: %s", err, cmp.Diff(made.Document, again.Document))
		}
	})
}

// FuzzValidate holds that a validation of anything ends, has a stage, and names a repair for each fault of a universal handoff.
func FuzzValidate(f *testing.F) {
	for _, text := range []string{`{}`, `{"handoff":{}}`, `[`, `{"handoff":{"payload":{"$ref":"file:///etc/passwd"}}}`, `{"resume_token":1e1000001}`, "\xff"} {
		f.Add([]byte(text))
	}
	o := universal.Options{Rules: schema.Universal()}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := record.Validate("x", data, o)
		if v.Stage == "" || v.Valid != (v.Err() == nil) {
			t.Fatalf("%+v", v)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	})
}
