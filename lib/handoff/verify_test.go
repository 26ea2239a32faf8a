package handoff_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text := mustRead(t, path)
	changed := change(string(text))
	if changed == string(text) {
		t.Fatalf("%s is not changed", path)
	}
	mustPut(t, path, []byte(changed))
}

func replacing(old, with string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, with, 1) }
}

// damages are ways in which a store goes wrong, with what Verify says. Each is mended without loss.
var damages = []struct {
	name  string
	do    func(t *testing.T, root string)
	place string // of the finding
	want  string // in its problem
	warns bool   // it is a warning
	fatal bool   // a document is lost
}{
	{name: "row lost", place: "handoffs/2026-05-07-ann-ben-t2.md", want: "is not listed",
		do: func(t *testing.T, root string) { edit(t, path(root, "INDEX.md"), dropLine("| t2 |")) }},
	{name: "row forged", place: "INDEX.md:8", want: `its to is "ben", but the index says`,
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), replacing("| ann | ben | t2", "| ann | eve | t2"))
		}},
	{name: "row of another file", place: "INDEX.md:8", want: "was changed after it was stored",
		do: func(t *testing.T, root string) { edit(t, path(root, "INDEX.md"), replacing("ben-t2.md", "ben-t1.md")) }},
	{name: "forged row before the good one", place: "INDEX.md:8", want: `its from is "ann", but the index says`,
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), func(s string) string {
				row := regexp.MustCompile(`(?m)^.*\| t2 \|.*\n`).FindString(s)
				return strings.Replace(s, row, strings.Replace(row, "| ann |", "| eve |", 1)+row, 1)
			})
		}},
	{name: "damaged row", place: "INDEX.md:8", want: "looks like a row",
		do: func(t *testing.T, root string) { edit(t, path(root, "INDEX.md"), replacing("| t2 |", "| t 2 |")) }},
	{name: "read mark lost", place: "INDEX.md:8", want: "lacks the read mark ben:",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), replacing("| ben:2026-05-08T09:00:00Z |", "|  |"))
		}},
	{name: "read mark of another time", place: "INDEX.md:8", want: "lacks the read mark ben:",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), replacing("ben:2026-05-08", "ben:2026-05-09"))
		}},
	{name: "read mark without event", place: "INDEX.md:8", want: "the read mark eve:2026-05-09T09:00:00Z has no event",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), replacing("00Z |\n", "00Z,eve:2026-05-09T09:00:00Z |\n"))
		}},
	{name: "index missing", place: "INDEX.md", want: "is missing or empty",
		do: func(t *testing.T, root string) { mustRemove(t, path(root, "INDEX.md")) }},
	{name: "archive missing", place: "INDEX-0001.md", want: "does not exist",
		do: func(t *testing.T, root string) { mustRemove(t, path(root, "INDEX-0001.md")) }},
	{name: "body changed", place: "INDEX.md:8", want: "was changed after it was stored", fatal: true,
		do: func(t *testing.T, root string) {
			edit(t, path(root, "2026-05-07-ann-ben-t2.md"), replacing("body", "Body"))
		}},
	{name: "body gone", place: "INDEX.md:8", want: "does not exist", fatal: true,
		do: func(t *testing.T, root string) { mustRemove(t, path(root, "2026-05-07-ann-ben-t2.md")) }},
	{name: "copy of a document", place: "handoffs/2026-05-07-ann-ben-t2-2.md", want: "is not listed",
		do: func(t *testing.T, root string) {
			mustPut(t, path(root, "2026-05-07-ann-ben-t2-2.md"), mustRead(t, path(root, "2026-05-07-ann-ben-t2.md")))
		}},
	{name: "log missing", place: "handoff-events.jsonl", want: "is missing or empty",
		do: func(t *testing.T, root string) { mustRemove(t, path(root, "handoff-events.jsonl")) }},
	{name: "log cut", place: "INDEX-0001.md:5", want: "has no event",
		do: func(t *testing.T, root string) { edit(t, path(root, "handoff-events.jsonl"), dropLastLine) }},
	{name: "log torn", place: "handoff-events.jsonl:6", want: "is torn",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "handoff-events.jsonl"), func(s string) string { return s[:len(s)-9] })
		}},
	{name: "chain broken", place: "handoff-events.jsonl:2", want: "broken hash chain",
		do: func(t *testing.T, root string) { edit(t, path(root, "handoff-events.jsonl"), replacing("ann", "eve")) }},
	{name: "first event unreadable", place: "handoff-events.jsonl:1", want: "are unproven",
		do: func(t *testing.T, root string) { edit(t, path(root, "handoff-events.jsonl"), replacing("{", "(")) }},
	{name: "journal damaged", place: "journal", want: "has no checkpoint of this store",
		do: func(t *testing.T, root string) { mustPut(t, path(root, "journal"), []byte("nonsense\n")) }},
	{name: "leftover", place: ".tmp-0123456789abcdef01234567", want: "was left by an interrupted command", warns: true,
		do: func(t *testing.T, root string) { mustPut(t, path(root, ".tmp-0123456789abcdef01234567"), []byte("x")) }},
	{name: "conflict marker", place: "INDEX.md:7", want: "is not part of the table", warns: true,
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), replacing("| sha", "<<<<<<< ours\n| sha"))
		}},
	{name: "index is a symbolic link", place: "INDEX.md", want: "symbolic link",
		do: func(t *testing.T, root string) { makeLink(t, path(root, "INDEX.md")) }},
	{name: "archive is a symbolic link", place: "INDEX-0001.md", want: "symbolic link",
		do: func(t *testing.T, root string) { makeLink(t, path(root, "INDEX-0001.md")) }},
	{name: "index with a line without end", place: "INDEX.md", want: "a line of more than 8388608 bytes",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX.md"), func(s string) string { return s + strings.Repeat("x", 9<<20) })
		}},
	{name: "archive with a line without end", place: "INDEX-0001.md", want: "a line of more than 8388608 bytes",
		do: func(t *testing.T, root string) {
			edit(t, path(root, "INDEX-0001.md"), func(s string) string { return strings.Repeat("x", 9<<20) + "\n" + s })
		}},
	{name: "index too large", place: "INDEX.md", want: "larger than 268435456 bytes",
		do: func(t *testing.T, root string) { enlarge(t, path(root, "INDEX.md")) }},
	{name: "ledger too large", place: "consumed-tokens.jsonl", want: "too large",
		do: func(t *testing.T, root string) {
			mustPut(t, path(root, "consumed-tokens.jsonl"), nil)
			enlarge(t, path(root, "consumed-tokens.jsonl"))
		}},
	{name: "body is a symbolic link", place: "INDEX.md:8", want: "symbolic link", fatal: true,
		do: func(t *testing.T, root string) { makeLink(t, path(root, "2026-05-07-ann-ben-t2.md")) }},
}

func dropLine(with string) func(string) string {
	return func(s string) string {
		return regexp.MustCompile(`(?m)^.*`+regexp.QuoteMeta(with)+`.*\n`).ReplaceAllString(s, "")
	}
}

func dropLastLine(s string) string { return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] }

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// enlarge makes a file as large as no file of a store may be.
func enlarge(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 10<<30); err != nil {
		t.Skip(err)
	}
}

// makeLink puts the file elsewhere and a symbolic link in its place.
func makeLink(t *testing.T, path string) {
	t.Helper()
	target := filepath.Join(t.TempDir(), "target")
	mustPut(t, target, mustRead(t, path))
	mustRemove(t, path)
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

// What the journal knows is mended as it was, whatever was damaged, and verify finds that something was.
func TestJournalMends(t *testing.T) {
	t.Parallel()
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			root, s := smallStore(t)
			texts, readers := good(t, s)
			d.do(t, root)
			if r, err := s.Verify(t.Context()); err != nil || len(r.Faults)+len(r.Warnings) == 0 {
				t.Errorf("verify finds %+v, %v", r, err)
			}
			mend(t, s)
			after, marks := good(t, s)
			for id, text := range texts {
				if after[id] != text || !slices.Equal(marks[id], readers[id]) && d.name != "read mark without event" {
					t.Errorf("%s: %q, read by %v; before %q, %v", id, after[id], marks[id], text, readers[id])
				}
			}
			again(t, root, s)
		})
	}
}

// So is what it does not know, as far as files, rows and the audit log bear it out; verify names each damage.
func TestVerifyNamesWhatRepairMends(t *testing.T) {
	t.Parallel()
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			root, s := smallStore(t)
			mustRemove(t, path(root, "journal"))
			d.do(t, root)
			texts, readers := good(t, open(t, root, nil))
			r, err := s.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			list := r.Faults
			if d.warns {
				list = r.Warnings
				if len(r.Faults) > 1 || !mentions(r.Faults, "journal", "is missing, but there are events") {
					t.Errorf("faults: %v", r.Faults)
				}
			}
			if !mentions(list, d.place, d.want) {
				t.Errorf("no %q at %s in %v", d.want, d.place, list)
			}
			mend(t, s)
			after, marks := good(t, s)
			for id, text := range texts {
				if after[id] != text || len(marks[id]) < len(readers[id]) {
					t.Errorf("%s: %q, read by %v; before %q, %v", id, after[id], marks[id], text, readers[id])
				}
			}
			if want := 3; !d.fatal && len(after) < want {
				t.Errorf("%d handoffs, want %d", len(after), want)
			}
			again(t, root, s)
		})
	}
}

func mentions(list []handoff.Finding, place, want string) bool {
	for _, f := range list {
		if f.Place == place && strings.Contains(f.Problem, want) {
			return true
		}
	}
	return false
}

// again expects that a second repair finds nothing to do, and that writing goes on.
func again(t *testing.T, root string, s *handoff.Store) {
	t.Helper()
	before := contents(t, root)
	if r, err := s.Maintenance().Repair(t.Context()); err != nil || len(r.Done) > 0 {
		t.Errorf("the second repair did %q, %v", r.Done, err)
	}
	after := contents(t, root)
	for file, text := range before {
		if !bytes.Equal(after[file], text) {
			t.Errorf("the second repair changed %s", file)
		}
	}
	mustWrite(t, s, source("t2", "body of t2\n"))
	mustWrite(t, s, source("more", "more"))
	if r, err := s.Verify(t.Context()); err != nil || len(r.Faults) > 0 {
		t.Errorf("after more writes: %v, %v", r.Faults, err)
	}
}

// What is found is said in the same order each time, also what has the same place.
func TestVerifySaysTheSameEachTime(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	var lost []string
	for n := range 8 {
		lost = append(lost, filepath.Join(root, mustWrite(t, s, source(fmt.Sprint("lost", n), "")).Path))
	}
	mustRemove(t, path(root, "journal"))
	for _, file := range lost {
		mustRemove(t, file)
	}
	log := path(root, "handoff-events.jsonl")
	mustPut(t, log, bytes.Replace(mustRead(t, log), []byte("lost0"), []byte("other"), 1))
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err := s.Verify(t.Context())
	if err != nil || len(first.Warnings) != 8 {
		t.Fatal(first, err)
	}
	for range 4 {
		if r, err := s.Verify(t.Context()); err != nil || !slices.Equal(r.Warnings, first.Warnings) {
			t.Fatalf("%v, then %v, %v", first.Warnings, r.Warnings, err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	const n = 20_000
	s := open(b, b.TempDir(), nil)
	sources := make([]handoff.Source, n)
	for i := range sources {
		sources[i] = handoff.Source{Text: source(fmt.Sprint("t", i), strings.Repeat("a line of text\n", 40))}
	}
	for batch := range slices.Chunk(sources, 1000) {
		if _, err := s.WriteAll(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if r, err := s.Verify(b.Context()); err != nil || len(r.Faults) > 0 {
			b.Fatal(r.Faults, err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

// A waited context knows whether anybody waited for it.
type waited struct {
	context.Context
	times int
}

func (c *waited) Done() <-chan struct{} {
	c.times++
	return c.Context.Done()
}

// A store that nobody changes is read once.
func TestVerifyDoesNotWait(t *testing.T) {
	t.Parallel()
	_, s := smallStore(t)
	ctx := &waited{Context: t.Context()}
	if report, err := s.Verify(ctx); err != nil || report.Handoffs == 0 || ctx.times > 0 {
		t.Errorf("%+v, %v, waited %d times", report, err, ctx.times)
	}
}

// Where writing commands refuse because the machine cannot be told, verification says so.
func TestVerifyWithoutMachineID(t *testing.T) {
	t.Parallel()
	root, _ := smallStore(t)
	s := open(t, root, func(o *handoff.Options) {
		o.Fingerprint = func() (string, error) { return "", disk.ErrNoMachineID }
	})
	r, err := s.Verify(t.Context())
	if err != nil || len(r.Faults) > 0 || !mentions(r.Warnings, "machine-fingerprint", "cannot be compared") || r.Warnings[0].Remedy != disk.MachineHint {
		t.Errorf("%+v, %v", r, err)
	}
}
