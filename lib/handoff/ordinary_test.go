package handoff_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// isFine fails unless a store is without faults and warnings.
func isFine(t *testing.T, s *handoff.Store) {
	t.Helper()
	report, err := s.Verify(t.Context())
	if err != nil || len(report.Faults)+len(report.Warnings) > 0 {
		t.Errorf("%+v %+v, %v", report.Faults, report.Warnings, err)
	}
}

// mustRepair runs what a refusal names, and then the store is fine.
func mustRepair(t *testing.T, s *handoff.Store, err error) {
	t.Helper()
	hint := ""
	if advised, is := errors.AsType[interface {
		error
		Hint() string
	}](err); is {
		hint = advised.Hint()
	}
	if !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(hint, "handoff verify --repair") {
		t.Errorf("%v, and the hint is %q", err, hint)
	}
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Error(err)
	}
	isFine(t, s)
}

// A store goes on after its project was renamed, with another home of the user, and with none.
func TestOtherPlaces(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root, home := filepath.Join(base, "before"), filepath.Join(base, "home")
	blocked := filepath.Join(base, "file")
	write(t, blocked, nil)
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	in := func(root, home string) *handoff.Store {
		return open(t, root, func(o *handoff.Options) {
			o.UserState, o.Warn = home, func(text string) { t.Errorf("warned: %s", text) }
		})
	}
	id := mustWrite(t, in(root, home), source("first", "")).ID
	do(t, in(root, home), "ben", "take", id)
	steps := []struct{ name, home string }{
		{"here", home}, {"another home", filepath.Join(base, "home-2")}, {"no home", ""}, {"back", home},
		{"a home that cannot be written", filepath.Join(blocked, "home")}, {"renamed", home}, {"and back", home},
	}
	for i, step := range steps {
		if strings.HasPrefix(step.name, "renamed") || strings.HasPrefix(step.name, "and") {
			next := filepath.Join(base, step.name)
			if err := os.Rename(root, next); err != nil {
				t.Fatal(err)
			}
			root = next
		}
		s := in(root, step.home)
		if got := topics(t, s, handoff.Filter{State: handoff.StateTaken}); !slices.Equal(got, []string{"first"}) {
			t.Errorf("%s: taken are %v", step.name, got)
		}
		if r := mustWrite(t, s, source("first", "")); r.Status != handoff.StatusExisting {
			t.Errorf("%s: %+v", step.name, r)
		}
		mustWrite(t, s, source(fmt.Sprint("t", i), ""))
		if got := topics(t, in(root, step.home), handoff.Filter{}); len(got) != i+2 {
			t.Errorf("%s: %v", step.name, got)
		}
		isFine(t, s)
	}
}

// What is gone is said, refused or begun anew, and each refusal's command ends it.
func TestLostParts(t *testing.T) {
	t.Parallel()
	const name = "2026-05-07-ann-ben-one.md"
	type parts struct {
		*handoff.Store
		root, id string
		warned   *[]string
	}
	for what, check := range map[string]func(*testing.T, parts){
		"log": func(t *testing.T, s parts) {
			remove(t, filepath.Join(s.root, ".run"))
			if got := topics(t, s.Store, handoff.Filter{Unread: true}); !slices.Equal(got, []string{"one", "two"}) {
				t.Errorf("readers list %v", got)
			}
			_, err := s.Write(t.Context(), source("three", ""))
			mustRepair(t, s.Store, err)
			if r := mustWrite(t, s.Store, source("one", "")); r.Status != handoff.StatusExisting {
				t.Errorf("%+v", r)
			}
		},
		"document": func(t *testing.T, s parts) {
			remove(t, path(s.root, name))
			in, err := s.Chosen(handoff.Filter{})
			if err != nil || in.Missing != 1 || len(in.Newest) != 2 {
				t.Errorf("%+v, %v", in, err)
			}
			_, err = s.Read(s.id)
			if report, verr := s.Verify(t.Context()); verr != nil || len(report.Faults) != 1 {
				t.Errorf("%+v, %v", report, verr)
			}
			if !errors.Is(err, handoff.ErrIntegrity) {
				t.Error(err)
			}
			if _, err := s.Maintenance().Repair(t.Context()); err != nil {
				t.Fatal(err)
			}
			if report, err := s.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
				t.Errorf("%+v, %v", report, err)
			}
			if _, err := s.Find(s.id); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), "lost") {
				t.Error(err)
			}
			if r := mustWrite(t, s.Store, source("one", "")); r.Status != handoff.StatusCreated {
				t.Errorf("%+v", r)
			}
			if got := do(t, s.Store, "ben", "take", s.id); got != "existing taken" {
				t.Errorf("its facts stay: %s", got)
			}
			isFine(t, s.Store)
		},
		"content": func(t *testing.T, s parts) {
			replace(t, path(s.root, name), "ann", "eve")
			if _, err := s.Read(s.id); !errors.Is(err, handoff.ErrIntegrity) {
				t.Error(err)
			}
			if r := mustWrite(t, s.Store, source("one", "")); r.Status != handoff.StatusCreated || strings.HasSuffix(r.Path, name) {
				t.Errorf("%+v", r)
			}
			if got, err := s.Read(s.id); err != nil || got.From != "ann" {
				t.Errorf("%+v, %v", got, err)
			}
		},
		"all": func(t *testing.T, s parts) {
			remove(t, filepath.Join(s.root, ".run"))
			remove(t, filepath.Join(s.root, "handoffs"))
			if r := mustWrite(t, s.Store, source("one", "")); r.Status != handoff.StatusCreated || len(*s.warned) != 1 {
				t.Errorf("%+v, warned %q", r, *s.warned)
			}
			isFine(t, s.Store)
		},
		"end of the log": func(t *testing.T, s parts) {
			text := read(t, logOf(s.Store))
			write(t, logOf(s.Store), text[:len(text)-20])
			if got := topics(t, s.Store, handoff.Filter{State: handoff.StateTaken}); got != nil || len(*s.warned) != 1 {
				t.Errorf("taken are %v, warned %q", got, *s.warned)
			}
			_, err := s.Write(t.Context(), source("three", ""))
			mustRepair(t, s.Store, err)
			mustWrite(t, s.Store, source("three", ""))
		},
		"beginning of the log": func(t *testing.T, s parts) {
			replace(t, logOf(s.Store), `"topic":"one"`, `"topic":"eno"`)
			_, err := s.Write(t.Context(), source("three", ""))
			mustRepair(t, s.Store, err)
			if got := topics(t, s.Store, handoff.Filter{}); len(got) != 2 {
				t.Errorf("%v", got)
			}
		},
		"the machine": func(t *testing.T, s parts) {
			remove(t, filepath.Join(s.root, ".run", "machine-fingerprint"))
			_, err := s.Write(t.Context(), source("three", ""))
			refused := (*handoff.MachineError)(nil)
			if !errors.As(err, &refused) || !refused.Lost {
				t.Error(err)
			}
			if _, err := s.Maintenance().Regenerate(t.Context(), "ann", "lost", false); err != nil {
				t.Error(err)
			}
			mustWrite(t, s.Store, source("three", ""))
			isFine(t, s.Store)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := parts{root: t.TempDir(), warned: new([]string)}
			s.Store = open(t, s.root, func(o *handoff.Options) {
				o.Warn = func(text string) { *s.warned = append(*s.warned, text) }
				o.Now = func() time.Time { return time.Now().Add(time.Hour) } // no file is of a change in progress
			})
			s.id = mustWrite(t, s.Store, source("one", "")).ID
			mustWrite(t, s.Store, source("two", ""))
			do(t, s.Store, "ben", "take", s.id)
			*s.warned = nil
			s.Store = open(t, s.root, func(o *handoff.Options) {
				o.Warn = func(text string) { *s.warned = append(*s.warned, text) }
				o.Now = func() time.Time { return time.Now().Add(time.Hour) }
			})
			check(t, s)
		})
	}
}

// An end that a killed command left is cut by the next change, and kept.
func TestTornEnd(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", ""))
	whole := read(t, logOf(s))
	write(t, logOf(s), append(slices.Clone(whole), "{\"half\": "...))
	if got := topics(t, s, handoff.Filter{}); len(got) != 1 {
		t.Error(got)
	}
	mustWrite(t, s, source("two", ""))
	kept, err := filepath.Glob(filepath.Join(root, ".run", "kept", "*"))
	if err != nil || len(kept) != 1 || string(read(t, kept[0])) != "{\"half\": " {
		t.Errorf("%v, %v", kept, err)
	}
	isFine(t, s)
}

// In a tracked store a checkout brings documents and takes them away. The next change logs them.
func TestTracked(t *testing.T) {
	t.Parallel()
	here, there := t.TempDir(), t.TempDir()
	tracked := func(root string) *handoff.Store {
		return open(t, root, func(o *handoff.Options) { o.Git = handoff.GitTracked })
	}
	s, other := tracked(here), tracked(there)
	old := mustWrite(t, s, source("old", "")).ID
	ids := mustWriteAll(t, other, lifeSource("ben", "ann", "new", "supersedes:"+old), lifeSource("ann", "ben", "more"))
	checkout := func(from, to string) {
		t.Helper()
		names, err := filepath.Glob(path(from, "2*.md"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			write(t, path(to, filepath.Base(name)), read(t, name))
		}
	}
	checkout(there, here)
	before := read(t, logOf(s))
	for range 2 {
		if got := topics(t, s, handoff.Filter{State: handoff.StateSuperseded}); !slices.Equal(got, []string{"old"}) {
			t.Errorf("superseded are %v", got)
		}
	}
	if string(read(t, logOf(s))) != string(before) {
		t.Error("a reader logs them")
	}
	do(t, s, "ben", "take", ids[1])
	if n := strings.Count(string(read(t, logOf(s))), "handoff.import"); n != 2 {
		t.Errorf("%d imports", n)
	}
	isFine(t, s)

	names, _ := filepath.Glob(path(there, "2*.md"))
	write(t, path(here, "copy.md"), read(t, names[0]))
	for _, who := range []string{"cy", "dee", "eve"} { // a copy is logged no more than once
		do(t, s, who, "read", ids[1])
	}
	if n := strings.Count(string(read(t, logOf(s))), "handoff.import"); n != 2 {
		t.Errorf("%d imports", n)
	}
	remove(t, path(here, "copy.md"))

	for _, name := range names { // another branch does not have them
		remove(t, path(here, filepath.Base(name)))
	}
	if in, err := s.Chosen(handoff.Filter{}); err != nil || len(in.Newest) != 1 || in.Missing != 0 {
		t.Errorf("%+v, %v", in, err)
	}
	isFine(t, s)
	checkout(there, here)
	if got := topics(t, s, handoff.Filter{State: handoff.StateTaken}); !slices.Equal(got, []string{"more"}) {
		t.Errorf("taken are %v", got)
	}
	write(t, path(here, "2026-05-08-odd-name.md"), read(t, names[0])) // renamed
	remove(t, path(here, filepath.Base(names[0])))
	if got := topics(t, s, handoff.Filter{}); len(got) != 3 {
		t.Errorf("with a renamed file: %v", got)
	}
	do(t, s, "fay", "read", ids[1])
	isFine(t, s)

	clone := t.TempDir() // fresh: documents and no log
	if err := os.MkdirAll(path(clone, ""), 0o755); err != nil {
		t.Fatal(err)
	}
	checkout(here, clone)
	s = tracked(clone)
	if got := topics(t, s, handoff.Filter{}); len(got) != 3 {
		t.Errorf("a fresh clone lists %v", got)
	}
	if got := do(t, s, "ben", "take", ids[1]); got != "changed taken" {
		t.Error(got)
	}
	isFine(t, s)
}

// In a fresh clone the operators file decides which documents of a branch are let in, from the first look on.
func TestFreshCloneWithOperators(t *testing.T) {
	t.Parallel()
	there, clone := t.TempDir(), t.TempDir()
	tracked := func(root string) *handoff.Store {
		return open(t, root, func(o *handoff.Options) { o.Git = handoff.GitTracked })
	}
	mustWriteAll(t, tracked(there), lifeSource("ann", "ben", "good"), lifeSource("mallory", "ben", "bad"))
	if err := os.CopyFS(path(clone, ""), os.DirFS(path(there, ""))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(clone, "OPERATORS.md"), []byte("---\nschema_version: '1.0'\noperators:\n"+
		"  - {id: ann, display_name: Ann, github_handle: ann, git_email: a@example.org, capabilities: [], active_since: '2026-01-01T00:00:00Z'}\n"+
		"  - {id: ben, display_name: Ben, github_handle: ben, git_email: b@example.org, capabilities: [], active_since: '2026-01-01T00:00:00Z'}\n---\n"))
	for range 2 {
		s := tracked(clone)
		entries, err := s.List(handoff.Filter{})
		if err != nil || len(entries) != 1 || entries[0].Topic != "good" {
			t.Fatalf("%v, %v", entries, err)
		}
		if got := do(t, s, "ben", "read", entries[0].ID); !slices.Contains([]string{"changed", "existing"}, got) {
			t.Error(got)
		}
	}
	s := tracked(clone)
	if got := do(t, s, "mallory", "read", must(s.List(handoff.Filter{}))[0].ID); !strings.Contains(got, "mallory") {
		t.Error(got)
	}
	write(t, filepath.Join(clone, "OPERATORS.md"), bytes.ReplaceAll(read(t, filepath.Join(clone, "OPERATORS.md")),
		[]byte("id: ann"), []byte("id: mallory")))
	if got := topics(t, tracked(clone), handoff.Filter{}); !slices.Equal(got, []string{"good"}) {
		t.Errorf("a checkout of other rules lets in %v", got)
	}
	if err := tracked(clone).Registry().Trust(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := topics(t, tracked(clone), handoff.Filter{}); !slices.Equal(got, []string{"good", "bad"}) {
		t.Errorf("after trust: %v", got)
	}
}
