package handoff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Rows of the same id, wherever they stand, count once: the first stands, and what was read anywhere is read.
func TestListJoinsDuplicates(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	for _, topic := range []string{"a", "b", "c"} {
		mustWrite(t, s, source(topic, "body"))
	}
	path := filepath.Join(root, "handoffs", "INDEX.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	row := lines[len(lines)-3] // b
	read := strings.Replace(row, "|  |", "| ben:2026-05-08T09:00:00Z |", 1)
	archive := strings.Join(lines[:4], "") + read
	topics := func(f handoff.Filter) string {
		entries, err := s.List(f)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range entries {
			all = append(all, e.Topic)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	tests := []struct{ name, index, archive string }{
		{"read in an archive", string(text), archive},
		{"read above", strings.Replace(string(text), row, read+row, 1), ""},
	}
	for _, test := range tests {
		os.Remove(filepath.Join(root, "handoffs", "INDEX-0001.md"))
		if err := os.WriteFile(path, []byte(test.index), 0o644); err != nil {
			t.Fatal(err)
		}
		if test.archive != "" {
			if err := os.WriteFile(filepath.Join(root, "handoffs", "INDEX-0001.md"), []byte(test.archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []struct {
			f      handoff.Filter
			topics string
		}{
			{handoff.Filter{}, "a b c"}, {handoff.Filter{To: "ben"}, "a b c"}, {handoff.Filter{Unread: true}, "a c"},
			{handoff.Filter{To: "ben", Unread: true}, "a c"}, {handoff.Filter{To: "cy", Unread: true}, ""}, {handoff.Filter{Topic: "b"}, "b"},
		} {
			if got := topics(want.f); got != want.topics {
				t.Errorf("%s: List(%+v) has %q, want %q", test.name, want.f, got, want.topics)
			}
		}
	}
}

// A list that passes rows over at a glance has the rows that parsing all of them gives, whatever the index
// looks like.
func TestGlanceAgreesWithParsing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	id := func(n int) string { return fmt.Sprintf("sha256:%064x", n) }
	line := rapid.Custom(func(t *rapid.T) string {
		pad := rapid.SampledFrom([]string{" ", " ", " ", "  ", ""}).Draw(t, "pad")
		cells := []string{
			id(rapid.IntRange(1, 9).Draw(t, "id")), "2026-05-07-ann-ben-t.md",
			rapid.SampledFrom([]string{"ann", "ben"}).Draw(t, "from"), rapid.SampledFrom([]string{"ben", "cy", "b"}).Draw(t, "to"), "ben", "2026-05-07T12:00:00Z",
			rapid.SampledFrom([]string{"", "ben:2026-05-08T09:00:00Z", "cy:2026-05-08T09:00:00.5Z", "cy:2026-05-08T09:00:00Z,ben:2026-05-08T09:00:00Z",
				"cy:2026-05-08T09:00:00Z , ben:2026-05-08T09:00:00Z", "ben:2026-05-08T09:00:0|Z", "ben", "xben:2026-05-08T09:00:00Z"}).Draw(t, "read_by"),
		}
		row := rapid.SampledFrom([]string{"", "", "", " ", "\t"}).Draw(t, "before") + "| " + strings.Join(cells, " |"+pad) + " |"
		return rapid.SampledFrom([]string{row, row, row, row + " \r", row + "x", "", "note", strings.Repeat("long ", 30_000), "- [INDEX-0001.md](INDEX-0001.md)"}).Draw(t, "line")
	})
	rapid.Check(t, func(t *rapid.T) {
		for i, name := range []string{"INDEX.md", "INDEX-0001.md"} {
			lines := rapid.SliceOfN(line, i, 12).Draw(t, name)
			text := strings.Join(lines, "\n") + rapid.SampledFrom([]string{"\n", ""}).Draw(t, "end")
			if err := os.MkdirAll(filepath.Join(root, "handoffs"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, "handoffs", name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		all, err := s.List(handoff.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []handoff.Filter{{Unread: true}, {To: "ben"}, {To: "ben", Unread: true}, {To: "b", Unread: true}, {To: "cy", Unread: true}} {
			var want []string
			for _, e := range all {
				if (f.To == "" || e.To == f.To) && (!f.Unread || e.UnreadBy(f.To)) {
					want = append(want, e.String())
				}
			}
			entries, err := s.List(f)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				got = append(got, e.String())
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("List(%+v) has\n%s\nwant\n%s", f, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}

// A reader is told that the index is gone, where the journal does not know it.
func TestListWarnsOfALostIndex(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var warned []string
	s := open(t, root, func(o *handoff.Options) { o.Warn = func(text string) { warned = append(warned, text) } })
	mustWrite(t, s, source("a", "body"))
	mustRemove(t, path(root, "INDEX.md"))
	for listed := 1; listed >= 0; listed-- {
		if entries, err := s.List(handoff.Filter{}); err != nil || len(entries) != listed || len(warned) != 1-listed {
			t.Errorf("warned %q, %v, %v", warned, entries, err)
		}
		if listed > 0 {
			mustRemove(t, filepath.Join(root, ".run", "journal"))
		}
	}
}

// TestReadersWithoutAPause reads with one store in several goroutines, so that one of them always reads, while another
// store writes. Each reader sees what was written before it began.
func TestReadersWithoutAPause(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	reader, writer := open(t, root, nil), open(t, root, nil)
	mustWrite(t, writer, source("t0", "body"))
	var written atomic.Int64
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				before := written.Load()
				if all, err := reader.List(handoff.Filter{}); err != nil || int64(len(all)) <= before {
					t.Errorf("%d of %d: %v", len(all), before+1, err)
				}
			}
		})
	}
	for n := range int64(30) {
		mustWrite(t, writer, source(fmt.Sprint("t", n+1), "body"))
		written.Store(n + 1)
	}
	done.Store(true)
	readers.Wait()
}
