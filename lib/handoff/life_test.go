//go:build unix

package handoff_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// lifeStore is a store at a fixed time.
func lifeStore(t *testing.T, root string, git handoff.Git) *handoff.Store {
	t.Helper()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, UserState: filepath.Clean(root) + ".state", Rules: schema.Frontmatter(), Git: git,
		Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }, Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lifeSource(from, to, topic string, references ...string) handoff.Source {
	return handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: from, To: to, Topic: topic, Time: "2026-05-07T12:00:00Z", Body: "x", References: references}}
}

func mustWriteAll(t *testing.T, s *handoff.Store, sources ...handoff.Source) (ids []string) {
	t.Helper()
	receipts, err := s.WriteAll(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receipts {
		ids = append(ids, r.ID)
	}
	return ids
}

// topics lists what a filter chooses.
func topics(t *testing.T, s *handoff.Store, f handoff.Filter) (all []string) {
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

// lives writes handoffs of which many are over, enough that what is known of them is kept.
func lives(t *testing.T, s *handoff.Store) {
	t.Helper()
	ids := mustWriteAll(t, s, lifeSource("ann", "ben", "old"), lifeSource("ann", "ben", "claimed"), lifeSource("ann", "ben", "past", "expires:2026-05-31T23:59:59Z"),
		lifeSource("ann", "ben", "future", "expires:2026-06-01T00:00:01Z"), lifeSource("ann", "ben", "plain", "https://example.org"))
	more := []handoff.Source{lifeSource("ann", "ben", "new", "supersedes:"+ids[0]), lifeSource("ben", "ann", "other-new", "supersedes:"+ids[0]), lifeSource("eve", "ben", "claim", "supersedes:"+ids[1])}
	for i := range 10 {
		more = append(more, lifeSource("ann", "ben", fmt.Sprint("past-", i), "expires:2026-05-08T00:00:00Z"))
	}
	mustWriteAll(t, s, more...)
}

var livesUnread = []string{"claimed", "future", "plain", "new", "claim"}

// What is over leaves the unread, whatever became of what was kept about it.
func TestLives(t *testing.T) {
	for _, git := range []handoff.Git{handoff.GitNone, handoff.GitTracked, handoff.GitSynced} {
		root := t.TempDir()
		s := lifeStore(t, root, git)
		lives(t, s)
		check := func(what string) {
			t.Helper()
			if got := topics(t, s, handoff.Filter{Unread: true, To: "ben"}); !slices.Equal(got, livesUnread) {
				t.Fatalf("%s, %s: unread are %v", git, what, got)
			}
			if got := topics(t, s, handoff.Filter{State: handoff.StateSuperseded}); !slices.Equal(got, []string{"old"}) {
				t.Fatalf("%s, %s: superseded are %v", git, what, got)
			}
			if got := topics(t, s, handoff.Filter{Unread: true, To: "ben", All: true}); len(got) != 17 {
				t.Fatalf("%s, %s: %d are not read", git, what, len(got))
			}
		}
		check("first")
		cache := filepath.Join(root, ".run", "life.cache")
		whole := read(t, cache)
		check("from what was kept")
		in, err := s.Unread("ben", 0, 0)
		if err != nil || in.Left() != "1 superseded, 11 expired" || in.Count() != 5 {
			t.Errorf("%s: left out are %s, %v", git, in.Left(), err)
		}
		for at := 0; at < len(whole); at += 7 + min(150, max(0, len(whole)-100-at)) {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1
			write(t, cache, damaged)
			check(fmt.Sprint("byte ", at, " flipped"))
		}
		for _, cut := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			write(t, cache, whole[:cut])
			check(fmt.Sprint("cut to ", cut))
		}
		write(t, cache, append(bytes.Clone(whole), "half of a bl"...))
		check("with something behind")
		if err := os.Remove(cache); err != nil {
			t.Fatal(err)
		}
		check("removed")
		if report, err := s.Verify(t.Context()); err != nil || len(report.Faults)+len(report.Warnings) > 0 {
			t.Errorf("%s: %v, %+v", git, err, report)
		}
	}
}

// What is kept grows with what is written, and follows a log that was put back.
func TestLivesFollowTheLog(t *testing.T) {
	root := t.TempDir()
	s := lifeStore(t, root, handoff.GitNone)
	lives(t, s)
	cache, log, table := filepath.Join(root, ".run", "life.cache"), filepath.Join(root, ".run", "handoff-events.jsonl"), filepath.Join(root, "handoffs", "INDEX.md")
	book := filepath.Join(root, ".run", "journal")
	before, logBefore, tableBefore, bookBefore := read(t, cache), read(t, log), read(t, table), read(t, book)
	var more []handoff.Source
	for i := range 20 {
		more = append(more, lifeSource("ann", "ben", fmt.Sprint("more-", i), "expires:2026-05-08T00:00:00Z"))
	}
	mustWriteAll(t, s, more...)
	if got := topics(t, s, handoff.Filter{Unread: true, To: "ben"}); !slices.Equal(got, livesUnread) {
		t.Errorf("unread are %v", got)
	}
	if after := read(t, cache); len(after) <= len(before) || !bytes.HasPrefix(after, before) {
		t.Errorf("what was kept did not grow: %s", after)
	}
	write(t, log, logBefore)
	write(t, table, tableBefore)
	write(t, book, bookBefore)
	if got := topics(t, s, handoff.Filter{State: handoff.StateExpired}); len(got) != 11 {
		t.Errorf("%d are expired in the store that was put back", len(got))
	}
}

// verify names a cache that says what is not so, and a repair removes it.
func TestVerifyChecksLives(t *testing.T) {
	root := t.TempDir()
	s := lifeStore(t, root, handoff.GitNone)
	lives(t, s)
	cache := filepath.Join(root, ".run", "life.cache")
	n := 0
	for name, damage := range map[string]func(text []byte) []byte{
		"says is damaged": func(text []byte) []byte { return text[1:] },
		"says of sha256:": func(text []byte) []byte {
			text = bytes.Replace(text, []byte(" ann ben expires:"), []byte(" eve ben expires:"), 1)
			signed := text[len("handoff-life 1\n") : len(text)-len("00000000\n")]
			return fmt.Appendf(text[:len(text)-len("00000000\n")], "%08x\n", crc32.ChecksumIEEE(signed))
		},
	} {
		n++
		mustWriteAll(t, s, lifeSource("ann", "ben", fmt.Sprint("next-", n)))
		write(t, cache, damage(read(t, cache)))
		report, err := s.Verify(t.Context())
		if err != nil || len(report.Faults) > 0 || len(report.Warnings) != 1 || !strings.Contains(name, report.Warnings[0].Problem[:10]) {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
		if done, err := s.Repair(t.Context()); err != nil || len(done.Done) != 1 || exists(cache) {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

// A row that came with git tells what it supersedes, and one that another branch does not have tells nothing.
func TestLivesOfRowsFromElsewhere(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	s, other := lifeStore(t, here, handoff.GitTracked), lifeStore(t, there, handoff.GitTracked)
	ids := mustWriteAll(t, s, lifeSource("ann", "ben", "old"))
	before := read(t, filepath.Join(here, "handoffs", "INDEX.md"))
	mustWriteAll(t, other, lifeSource("ann", "ben", "old"), lifeSource("ben", "ann", "new", "supersedes:"+ids[0]))
	if err := os.CopyFS(filepath.Join(here, "came"), os.DirFS(filepath.Join(there, "handoffs"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(here, "handoffs"), filepath.Join(here, "went")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(here, "came"), filepath.Join(here, "handoffs")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := topics(t, s, handoff.Filter{State: handoff.StateSuperseded}); !slices.Equal(got, []string{"old"}) {
			t.Errorf("superseded are %v", got)
		}
	}
	write(t, filepath.Join(here, "handoffs", "INDEX.md"), before)
	if got := topics(t, s, handoff.Filter{State: handoff.StateSuperseded}); got != nil {
		t.Errorf("superseded by what is not there are %v", got)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
