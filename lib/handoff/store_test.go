package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/schema"
)

func open(t testing.TB, root string, edit func(*handoff.Options)) *handoff.Store {
	t.Helper()
	o := handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, Rules: schema.Frontmatter(),
		UserState:   filepath.Clean(root) + ".state",
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil },
		Now:         func() time.Time { return time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC) }}
	if edit != nil {
		edit(&o)
	}
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func source(topic, body string) []byte {
	return []byte("---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: '" + topic + "'\nts_utc: '2026-05-07T12:00:00Z'\n---\n" + body)
}

func mustWrite(t testing.TB, s *handoff.Store, src []byte) handoff.Receipt {
	t.Helper()
	r, err := s.Write(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestClasses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "body"))
	elsewhere := func(o *handoff.Options) {
		o.Fingerprint = func() (string, error) { return strings.Repeat("b", 64), nil }
	}
	tests := []struct {
		name string
		edit func(*handoff.Options)
		src  []byte
		want error
	}{
		{"bad document", nil, source("o n e", "body"), handoff.ErrInvalid},
		{"other machine", elsewhere, source("one", "body"), handoff.ErrIntegrity},
		{"other machine before bad document", elsewhere, []byte("nothing"), handoff.ErrIntegrity},
		{"system place", func(o *handoff.Options) { o.Dir = "/etc/handoffs"; o.Named = []string{o.Dir} }, source("one", "body"), handoff.ErrConfig},
		{"outside", func(o *handoff.Options) { o.Dir = filepath.Join(os.TempDir(), "elsewhere") }, source("one", "body"), handoff.ErrConfig},
		{"no rules", func(o *handoff.Options) { o.Rules = nil }, source("one", "body"), handoff.ErrConfig},
		{"no machine id", func(o *handoff.Options) {
			o.Fingerprint = func() (string, error) { return "", fmt.Errorf("no machine id: %w", handoff.ErrConfig) }
		}, source("one", "body"), handoff.ErrConfig},
		{"future", func(o *handoff.Options) { o.Now = func() time.Time { return time.Unix(0, 0) } }, source("one", "body"), handoff.ErrInvalid},
	}
	for _, test := range tests {
		_, err := open(t, root, test.edit).Write(t.Context(), test.src)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v is no %v", test.name, err, test.want)
		}
	}
}

// What is written is read back as it was, whatever the body, and writing it again changes nothing.
func TestWriteReadProperty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, func(o *handoff.Options) { o.IndexMaxRows = 20 })
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		doc := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: fmt.Sprintf("t%d", n), Time: "2026-05-07T12:00:00Z",
			References: rapid.SliceOfN(rapid.StringMatching(`[ -~äß語]{1,40}`), 0, 4).Draw(rt, "references"),
			Body:       "x" + rapid.StringMatching(`[ -~\n\t語\x{1b}-]{0,200}`).Draw(rt, "body")}
		receipts, err := s.WriteAll(t.Context(), []handoff.Source{{Fields: &doc}})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := s.Read(receipts[0].ID)
		if err != nil {
			rt.Fatal(err)
		}
		if got.Body != doc.Body || !slices.Equal(got.References, doc.References) {
			rt.Fatalf("wrote %q %q, read %q %q", doc.Body, doc.References, got.Body, got.References)
		}
		again, err := s.Write(t.Context(), got.Text)
		if err != nil || again.Status != handoff.StatusExisting || again.ID != receipts[0].ID {
			rt.Fatalf("again: %+v, %v", again, err)
		}
	})
	if r, err := s.Verify(t.Context()); err != nil || len(r.Faults)+len(r.Warnings) > 0 || r.Handoffs != n {
		t.Errorf("%d handoffs, want %d; %v %v, %v", r.Handoffs, n, r.Faults, r.Warnings, err)
	}
}

func TestCollisions(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	for n := range 100 {
		mustWrite(t, s, source("one", fmt.Sprint("body ", n)))
	}
	if _, err := s.Write(t.Context(), source("one", "one more")); !errors.Is(err, handoff.ErrConfig) {
		t.Errorf("the 101st of a name: %v", err)
	}
	if r := mustWrite(t, s, source("one", "body 99")); r.Status != handoff.StatusExisting || !strings.HasSuffix(r.Path, "-one-100.md") {
		t.Errorf("the 100th again: %+v", r)
	}
}

func TestWriteAllIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	_, err := s.WriteAll(t.Context(), []handoff.Source{{Text: source("one", "")}, {Name: "x", Text: source("t w o", "")}})
	if !errors.Is(err, handoff.ErrInvalid) {
		t.Error(err)
	}
	if entries, err := s.List(handoff.Filter{}); len(entries) > 0 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
}

// snapshot is everything that the store says about its handoffs.
func snapshot(s *handoff.Store) (all []string, err error) {
	entries, err := s.List(handoff.Filter{})
	for _, e := range entries {
		got, readErr := s.Read(e.ID)
		all = append(all, e.Row(), got.Body, fmt.Sprint(got.References, got.Tags, readErr))
	}
	return all, err
}

// Every flipped bit of every file is found, or changes nothing that anybody is told.
func TestFlips(t *testing.T) {
	t.Parallel()
	step := 41
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		step = 1
	}
	root := t.TempDir()
	s := open(t, root, func(o *handoff.Options) { o.IndexMaxRows = 2 })
	for i := range 3 {
		mustWrite(t, s, source(fmt.Sprint("t", i), fmt.Sprint("body ", i)))
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.MarkRead(t.Context(), "ben", entries[0].ID, entries[2].ID); err != nil {
		t.Fatal(err)
	}
	before, err := snapshot(s)
	if err != nil {
		t.Fatal(err)
	}
	flips := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".INDEX.md.lock" || d.Name() == ".gitignore" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // truncating it each time would make ext4 wait for the disk
		if err != nil {
			return err
		}
		defer f.Close()
		for i := flips % step; i < len(text); i += step {
			flipped := text[i] ^ 1<<(i%7)
			if _, err := f.WriteAt([]byte{flipped}, int64(i)); err != nil {
				return err
			}
			flips++
			report, err := s.Verify(t.Context())
			if after, snapErr := snapshot(s); err == nil && len(report.Faults)+len(report.Warnings) == 0 && (snapErr != nil || !slices.Equal(after, before)) {
				t.Errorf("%s: byte %d, %q for %q: unnoticed, and changes\n%s", d.Name(), i, flipped, text[i], cmp.Diff(before, after))
			}
			if _, err := f.WriteAt(text[i:i+1], int64(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || flips < 1000/step {
		t.Errorf("%d flips, %v", flips, err)
	}
}

// Several who write the first handoffs of a store at the same moment agree about whose it is.
func TestFirstWritersAgree(t *testing.T) {
	t.Parallel()
	for round := range 8 {
		root := t.TempDir()
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				s := open(t, root, nil)
				if _, err := s.Write(t.Context(), source(fmt.Sprint("t", i), "body")); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		writers.Wait()
	}
}

// path returns the path of a file of the handoffs directory.
func path(root, name string) string { return filepath.Join(root, "handoffs", name) }

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// replace replaces all of a text in a file, which must have it.
func replace(t testing.TB, path, old, new string) {
	t.Helper()
	text := read(t, path)
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", path, old)
	}
	write(t, path, bytes.ReplaceAll(text, []byte(old), []byte(new)))
}

// topics lists what a filter chooses.
func topics(t testing.TB, s *handoff.Store, f handoff.Filter) (all []string) {
	t.Helper()
	entries, err := s.List(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Topic)
	}
	return all
}

func lifeSource(from, to, topic string, references ...string) handoff.Source {
	return handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: from, To: to, Topic: topic,
		Time: "2026-05-07T12:00:00Z", Body: "x", References: references}}
}

// logOf returns the path of the log of a store.
func logOf(s *handoff.Store) string {
	return filepath.Join(s.Dir(), "..", ".run", "handoff-events.jsonl")
}
