package handoff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// bytesOf returns the content, mode and time of all files and directories below some directories.
func bytesOf(t testing.TB, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			all[path] = fmt.Sprint(info.Mode(), info.ModTime())
			if info.Mode().IsRegular() {
				all[path] += string(read(t, path))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// readings are the calls that only read.
func readings(t *testing.T, s *handoff.Store, id string) map[string]func() {
	ctx := t.Context()
	e, _ := s.Find(id)
	all := []handoff.Entry{e}
	return map[string]func(){
		"List":          func() { _, _ = s.List(handoff.Filter{}) },
		"Chosen":        func() { _, _ = s.Chosen(handoff.Filter{Unread: true}) },
		"Find":          func() { _, _ = s.Find(id) },
		"Read":          func() { _, _ = s.Read(id) },
		"Load":          func() { _, _ = s.Load(e) },
		"Listed":        func() { s.Listed(all) },
		"Distrust":      func() { s.Distrust("ann", handoff.Signature{}) },
		"Search":        func() { _, _ = s.Search(ctx, handoff.Query{Words: []string{"body"}}) },
		"Next":          func() { _, _, _ = s.Next(handoff.Who{Operator: "ben"}, nil) },
		"Unsent":        func() { _, _ = s.Unsent() },
		"Held":          func() { _, _ = s.Held() },
		"NewerOf":       func() { s.Lifecycle().NewerOf(e) },
		"FromFiles":     func() { s.Lifecycle().FromFiles() },
		"Waiting":       func() { _, _ = s.Waiting("ben", 0) },
		"History":       func() { _, _, _ = s.History(id) },
		"Thread":        func() { _, _ = s.Thread(id) },
		"Stamp":         func() { s.Stamp() },
		"Verify":        func() { _, _ = s.Verify(ctx) },
		"Try":           func() { _ = s.Try([]handoff.Source{{Text: source("new", "")}}) },
		"Holds":         func() { s.Holds(s.Dir()) },
		"Successors":    func() { s.Lifecycle().Successors(id) },
		"Endings":       func() { s.Lifecycle().Endings("ben", "", time.Hour) },
		"Holdings":      func() { s.Lifecycle().Holdings("ben") },
		"Last":          func() { s.Lifecycle().Last("ben", handoff.ActDone) },
		"Check":         func() { _, _ = s.Check(ctx, handoff.InputOf(id, handoff.Document{}), handoff.Checking{}) },
		"Runs":          func() { _, _, _ = s.Records().Runs() },
		"Sharing":       func() { _, _ = s.Records().Sharing("token", "") },
		"Carrying":      func() { _, _, _ = s.Records().Carrying("packet") },
		"IsOurs":        func() { s.Maintenance().IsOurs() },
		"Machine":       func() { _, _, _ = s.Maintenance().Machine() },
		"Ready":         func() { _ = s.Maintenance().Ready() },
		"Head":          func() { _, _ = s.AuditLog().Head(ctx) },
		"Check of log":  func() { _ = s.AuditLog().Check(ctx, nil) },
		"IsMissing":     func() { s.AuditLog().IsMissing() },
		"Policy":        func() { _, _ = s.Registry().Policy() },
		"Registry":      func() { _, _ = s.Registry().Verify("ben") },
		"WhyUnknown":    func() { s.Registry().WhyUnknown("bne") },
		"CheckOperator": func() { _ = s.Registry().Check("ben") },
	}
}

// Readers change no byte of the store or of the user's state, whatever is wrong with the store.
func TestReadersWriteNothing(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(root string){
		"good":   func(string) {},
		"no log": func(root string) { remove(t, filepath.Join(root, ".run")) },
		"a torn log": func(root string) {
			log := filepath.Join(root, ".run", "handoff-events.jsonl")
			write(t, log, append(read(t, log), "{\"half"...))
		},
		"a damaged log": func(root string) {
			replace(t, filepath.Join(root, ".run", "handoff-events.jsonl"), `"topic":"one"`, `"topic":"two"`)
		},
		"no documents":    func(root string) { remove(t, path(root, "2026-05-07-ann-ben-one.md")) },
		"no index":        func(root string) { remove(t, path(root, "INDEX.md")) },
		"no user's state": func(root string) { remove(t, filepath.Clean(root)+".state") },
		"no store":        func(root string) { remove(t, filepath.Join(root, "handoffs")); remove(t, filepath.Join(root, ".run")) },
	} {
		for _, git := range []handoff.Git{handoff.GitNone, handoff.GitTracked} {
			root, edit := t.TempDir(), func(o *handoff.Options) { o.Git = git }
			s := open(t, root, edit)
			id := mustWrite(t, s, source("one", "body")).ID
			mustWrite(t, s, source("two", "body"))
			do(t, s, "ben", "take", id)
			harm(root)
			s = open(t, root, edit)
			before := bytesOf(t, root, filepath.Clean(root)+".state")
			for what, reading := range readings(t, s, id) {
				reading()
				if after := bytesOf(t, root, filepath.Clean(root)+".state"); !maps.Equal(before, after) {
					t.Fatalf("%s: %s, %s changed\n%s", name, git, what, cmp.Diff(before, after))
				}
			}
		}
	}
}

// answers are what the store answers: to those who see all, to those who see what needs work, and about each handoff.
func answers(t *testing.T, s *handoff.Store) string {
	t.Helper()
	var made bytes.Buffer
	add := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&made).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	add(topics(t, s, handoff.Filter{Unread: true, To: "ben"}), nil) // first: it needs only a part
	in, err := s.Waiting("ben", 0)
	add([]any{in.Left(), in.For(), in.Count()}, err)
	next, _, err := s.Next(handoff.Who{Operator: "ben"}, nil)
	add(next.ID, err)
	for _, held := range s.Lifecycle().Holdings("ben") {
		add([]any{held.Entry.ID, held.Take}, nil)
	}
	entries, err := s.List(handoff.Filter{})
	add(nil, err)
	add([]any{s.Listed(entries[:9]), entries[0].Life()}, nil)
	for _, e := range entries[:3] {
		got, err := s.Read(e.ID)
		add(got.Body, err)
		_, events, err := s.History(e.ID)
		add([]any{events, e.Row()}, err)
	}
	add(s.AuditLog().Head(ctx))
	report, err := s.Verify(ctx, entries[0].ID)
	add(report.Faults, err)
	return made.String()
}

// many writes enough handoffs that a snapshot is due, most of them read. Nothing is settled before a week.
func many(t *testing.T, root string, edit func(*handoff.Options)) (*handoff.Store, *clock) {
	t.Helper()
	c := &clock{}
	s := open(t, root, func(o *handoff.Options) {
		if o.Now, o.IndexMaxRows = c.now, 100; edit != nil {
			edit(o)
		}
	})
	ids := mustWriteAll(t, s, lifeSource("ann", "ben", "old"), lifeSource("ann", "ben", "claimed"),
		lifeSource("ann", "ben", "past", "expires:2026-05-08T09:01:00Z"),
		lifeSource("ann", "ben", "future", "expires:2027-06-01T00:00:01Z"), lifeSource("ann", "ben", "held"))
	newer := mustWriteAll(t, s, lifeSource("ann", "ben", "new", "supersedes:"+ids[0]),
		lifeSource("eve", "ben", "claim", "supersedes:"+ids[1]), lifeSource("ann", "ben", "archived"))
	do(t, s, "ben", "done", newer[0]) // so that it is closed, and old is not
	do(t, s, "ann", "archive", newer[2])
	do(t, s, "ben", "take", ids[4])
	c.minutes = 20 * 24 * 60
	var tags []string
	for i := range 20 {
		tags = append(tags, fmt.Sprint(10+i, strings.Repeat("-long-tags", 3)))
	}
	var sources []handoff.Source
	for i := range 250 {
		next := lifeSource("ann", "cy", fmt.Sprint("many-", i))
		next.Fields.Tags = tags
		sources = append(sources, next)
	}
	if _, err := s.MarkRead(t.Context(), "cy", mustWriteAll(t, s, sources...)...); err != nil {
		t.Fatal(err)
	}
	return open(t, root, func(o *handoff.Options) {
		if o.Now, o.IndexMaxRows = c.now, 100; edit != nil {
			edit(o)
		}
	}), c
}

// What is derived can be deleted, of another store, damaged or forged: no answer changes.
func TestDerivedDecidesNothing(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	_, c := many(t, root, nil)
	fresh := func(state string) *handoff.Store {
		return open(t, root, func(o *handoff.Options) { o.Now, o.UserState, o.IndexMaxRows = c.now, state, 100 })
	}
	want := answers(t, fresh("")) // without any state
	if !strings.HasPrefix(want, `["claimed","future","claim"]`) || !strings.Contains(want, `"1 superseded, 1 expired, 1 archived"`) {
		t.Errorf("%.300s", want)
	}
	files := []string{path(root, "INDEX.md"), path(root, "INDEX-0001.md")}
	for _, name := range []string{"head", "open", "closed"} {
		found, err := filepath.Glob(filepath.Clean(root) + ".state/*/" + name)
		if err != nil || len(found) != 1 {
			t.Fatal(name, found, err)
		}
		files = append(files, found...)
	}
	state := filepath.Clean(root) + ".state"
	check := func(what string) {
		t.Helper()
		if got := answers(t, fresh(state)); got != want {
			t.Fatalf("%s: %s", what, cmp.Diff(want, got))
		}
	}
	check("whole")
	many(t, other, nil)
	for _, file := range files {
		text := read(t, file)
		stranger, err := filepath.Glob(filepath.Clean(other) + ".state/*/" + filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		forged := map[string][]byte{"cut": text[:len(text)/2]}
		if len(stranger) == 1 && filepath.Base(file) != "head" { // the pin says that the log was exchanged
			forged["of another store"] = read(t, stranger[0])
		}
		flipped := slices.Clone(text)
		flipped[len(text)/3] ^= 4
		forged["with a flipped bit"] = flipped
		if strings.HasPrefix(filepath.Base(file), "INDEX") {
			typed := bytes.ReplaceAll(text, []byte("| ann |"), []byte("| eve |"))
			forged["typed"] = bytes.ReplaceAll(typed, []byte("|  |"), []byte("| ben:2026-05-08T09:00:00Z |"))
		}
		for what, harm := range forged {
			write(t, file, harm)
			check(filepath.Base(file) + " " + what)
		}
		remove(t, file)
		check(filepath.Base(file) + " removed")
		write(t, file, text)
	}
	for _, file := range files {
		remove(t, file)
	}
	check("all removed")
	s := fresh(state) // a writer makes all of it again
	do(t, s, "cy", "read", must(s.Find("2026-05-07-ann-ben-old.md")).ID)
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// must returns a value that the test has made possible.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
