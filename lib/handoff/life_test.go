//go:build unix

package handoff_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
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
	o := handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, UserState: filepath.Clean(root) + ".state", Rules: schema.Frontmatter(), Git: git,
		Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }, Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }}
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	foldsTheSame(t, s, o)
	return s
}

func lifeSource(from, to, topic string, references ...string) handoff.Source {
	return handoff.Source{Fields: &handoff.Document{SchemaVersion: "1.0", From: from, To: to, Topic: topic, Time: "2026-05-07T12:00:00Z", Body: "x", References: references}}
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

const manyPast = 180 // make a log that is worth keeping facts of

// cached is the cache of the facts of a store in root.
func cached(t *testing.T, root string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Clean(root) + ".state/*/facts")
	if err != nil || len(found) != 1 {
		t.Fatalf("the caches are %v, %v", found, err)
	}
	return found[0]
}

// lives writes handoffs of which many are over, enough that what is known of them is kept.
func lives(t *testing.T, s *handoff.Store) {
	t.Helper()
	ids := mustWriteAll(t, s, lifeSource("ann", "ben", "old"), lifeSource("ann", "ben", "claimed"), lifeSource("ann", "ben", "past", "expires:2026-05-31T23:59:59Z"),
		lifeSource("ann", "ben", "future", "expires:2026-06-01T00:00:01Z"), lifeSource("ann", "ben", "plain", "https://example.org"))
	more := []handoff.Source{lifeSource("ann", "ben", "new", "supersedes:"+ids[0]), lifeSource("ben", "ann", "other-new", "supersedes:"+ids[0]), lifeSource("eve", "ben", "claim", "supersedes:"+ids[1])}
	for i := range manyPast {
		more = append(more, lifeSource("ann", "ben", fmt.Sprint("past-", i), "expires:2026-05-08T00:00:00Z"))
	}
	mustWriteAll(t, s, more...)
}

var livesUnread = []string{"claimed", "future", "plain", "new", "claim"}

// What is over leaves the unread, whatever became of what was kept about it.
func TestLives(t *testing.T) {
	t.Parallel()
	modes := []handoff.Git{handoff.GitNone, handoff.GitTracked, handoff.GitSynced}
	if os.Getenv("HANDOFF_FAULTS") != "all" { // one of them, another each time
		modes = modes[rand.IntN(3):][:1]
	}
	for _, git := range modes {
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
			if got := topics(t, s, handoff.Filter{Unread: true, To: "ben", All: true}); len(got) != 7+manyPast {
				t.Fatalf("%s, %s: %d are not read", git, what, len(got))
			}
		}
		check("first")
		cache := cached(t, root)
		whole := read(t, cache)
		check("from what was kept")
		in, err := s.Unread("ben", 0, 0)
		if err != nil || in.Left() != fmt.Sprint("1 superseded, ", manyPast+1, " expired") || in.Count() != 5 {
			t.Errorf("%s: left out are %s, %v", git, in.Left(), err)
		}
		for at := 0; at < len(whole); at += 1 + min(4999, max(0, len(whole)-15-at)) {
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

// What is kept follows a log that was put back.
func TestLivesFollowTheLog(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := lifeStore(t, root, handoff.GitNone)
	lives(t, s)
	before := cached(t, root)
	text := read(t, before)
	var more []handoff.Source
	for i := range 20 {
		more = append(more, lifeSource("ann", "ben", fmt.Sprint("more-", i), "expires:2026-05-08T00:00:00Z"))
	}
	mustWriteAll(t, s, more...)
	if got := topics(t, s, handoff.Filter{Unread: true, To: "ben"}); !slices.Equal(got, livesUnread) {
		t.Errorf("unread are %v", got)
	}
	other := t.TempDir()
	o := lifeStore(t, other, handoff.GitNone)
	mustWriteAll(t, o, lifeSource("ann", "ben", "fresh"))
	lives(t, o)
	write(t, cached(t, other), text) // of another log of about that length
	if got := topics(t, o, handoff.Filter{State: handoff.StateExpired}); len(got) != manyPast+1 {
		t.Errorf("%d are expired in the store that has the cache of another one", len(got))
	}
}

// What was written into the log by something else says nothing of a handoff: neither what was known before, nor
// what a chain says that was made anew.
func TestLivesCountWhatTheJournalProves(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := lifeStore(t, root, handoff.GitNone)
	ids := mustWriteAll(t, s, lifeSource("ann", "ben", "first"))
	lives(t, s)
	if _, err := s.Maintenance().Repair(t.Context()); err != nil { // it makes a checkpoint: the journal has no lines of the log any more
		t.Fatal(err)
	}
	log := filepath.Join(root, ".run", "handoff-events.jsonl")
	first, rest, _ := bytes.Cut(read(t, log), []byte("\n"))
	hash := func(line []byte) string { return fmt.Sprintf("%x", sha256.Sum256(line)) }
	forged := bytes.Split(bytes.TrimSpace(rest), []byte("\n"))
	n := slices.IndexFunc(forged, func(line []byte) bool { return bytes.Contains(line, []byte(`"topic":"past-7"`)) })
	archived := `{"handoff_id":"` + ids[0] + `","marked":false,"operator_id":"eve","token":"` + ids[0] + `#archive.0","ts_utc":"2026-05-31T00:00:00Z"}`
	forged[n] = fmt.Appendf(nil, `{"event_type":"handoff.archive","payload":%s,"prev_hash":"","primitive_id":"L6","redaction_applied":null,"schema_version":"1.1.0","ts_utc":"2026-05-31T00:00:00.000000Z"}`, archived)
	prev := hash(first)
	for i, line := range forged {
		at := bytes.Index(line, []byte(`"prev_hash":"`)) + len(`"prev_hash":"`)
		end := at + bytes.IndexByte(line[at:], '"')
		forged[i] = slices.Concat(line[:at], []byte(prev), line[end:])
		prev = hash(forged[i])
	}
	write(t, log, slices.Concat(first, []byte("\n"), bytes.Join(forged, []byte("\n")), []byte("\n")))
	for _, with := range []string{"the cache", "no cache"} {
		if got := topics(t, s, handoff.Filter{State: handoff.StateArchived}); got != nil {
			t.Errorf("with %s, archived are %v", with, got)
		}
		for _, cache := range must(filepath.Glob(filepath.Clean(root) + ".state/*/facts")) {
			os.Remove(cache)
		}
	}
	if report, err := s.Verify(t.Context()); err != nil || len(report.Faults) == 0 {
		t.Errorf("verify: %v, %+v", err, report)
	}
}

// A row that came with git tells what it supersedes, and one that another branch does not have tells nothing.
func TestLivesOfRowsFromElsewhere(t *testing.T) {
	t.Parallel()
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
