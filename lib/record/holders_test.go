package record_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

const shared = "shared-token"

// tokens is a store of 66 packets, of which every 22nd has the same token.
type tokens struct {
	*testing.T
	dir  string
	want map[string][]string // the ids by token
}

func newTokens(t *testing.T) tokens {
	t.Helper()
	s := tokens{t, t.TempDir(), map[string][]string{"nobodys-token": nil}}
	o := options()
	o.Head.From, o.Head.Topic = "ann", "tokens"
	var sources []handoff.Source
	for i := range 66 {
		token := fmt.Sprintf("token-%04d", i)
		if i%22 == 0 {
			token = shared
		}
		text := fmt.Sprintf(`{"objective": "Mend the parser", "completed": ["Read %d files"], "unresolved": ["No blockers"], "assumptions": ["None"],
"next_action": "Run the tests of part %d", "risks": ["None"], "updated_at": "2026-05-07T12:00:00Z", "resume_token": %q}`, i, i, token)
		src := record.Source(fmt.Sprint(i), []byte(text), o)
		made, err := src.Make()
		if err != nil {
			t.Fatal(err)
		}
		id, err := handoff.ID(made.Document)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, src)
		s.want[token] = append(s.want[token], id)
	}
	if _, err := s.open().WriteAll(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s tokens) open() *handoff.Store {
	s.Helper()
	store, err := handoff.Open(handoff.Options{Dir: filepath.Join(s.dir, "handoffs"), StateDir: filepath.Join(s.dir, ".run"), UserState: s.dir + ".state", Rules: schema.Frontmatter(),
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }})
	if err != nil {
		s.Fatal(err)
	}
	return store
}

// check asks for every token of one that was asked before, and for some anew.
func (s tokens) check(when string) {
	s.Helper()
	warm := record.Holders(s.open(), false)
	for token, want := range s.want {
		asks := []func(string) ([]string, error){warm}
		if token == shared || len(want) == 0 || strings.HasSuffix(token, "7") {
			asks = append(asks, record.Holders(s.open(), false))
		}
		for _, ask := range asks {
			got, err := ask(token)
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || !slices.Equal(got, want) {
				s.Errorf("%s: %s is in %q, want %q: %v", when, token, got, want, err)
			}
		}
	}
}

// remember is what a command does that has stored a packet: those that only read keep nothing.
func (s tokens) remember() {
	s.Helper()
	if _, err := record.WarnShared(s.open(), s.want[shared][1:2]); err != nil {
		s.Fatal(err)
	}
}

func (s tokens) cache() string {
	s.Helper()
	found, err := filepath.Glob(s.dir + ".state/*/packet-tokens")
	if err != nil || len(found) > 1 {
		s.Fatal(found, err)
	}
	return strings.Join(found, "")
}

func (s tokens) replace(path string, text []byte) {
	s.Helper()
	err := os.Remove(path)
	if err == nil && text != nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// What is remembered of tokens changes no answer, whatever becomes of it: removed, damaged.
func TestRememberedTokens(t *testing.T) {
	s := newTokens(t)
	s.check("first")
	if _, err := os.Stat(s.cache()); err == nil {
		t.Error("a reader has written")
	}
	s.remember()
	good, err := os.ReadFile(s.cache())
	if err != nil {
		t.Fatal(err)
	}
	sum, lines, _ := strings.Cut(string(good), "\n")
	none := sum + "\n" + strings.ReplaceAll(lines, lines[33:49], "----------------")
	for when, text := range map[string][]byte{
		"removed": nil, "emptied": {}, "cut": good[:len(good)/2], "whole lines cut": good[:len(good)-50], "more": append(good[:len(good):len(good)], good[len(good)-50:]...),
		"says nothing": []byte(none), "no checksum": []byte("\n" + lines), "zeros": make([]byte, len(good)),
	} {
		cache := s.cache()
		s.replace(cache, text)
		s.check(when)
		s.remember()
		s.check("again after: " + when)
		if now, err := os.ReadFile(s.cache()); err != nil || len(now) != len(good) {
			t.Errorf("%s: %d bytes are kept, want %d: %v", when, len(now), len(good), err)
		}
	}
}

// Those that share a token are named, each with some of the others.
func TestShared(t *testing.T) {
	s := newTokens(t)
	var all []string
	for _, ids := range s.want {
		all = append(all, ids...)
	}
	warnings, err := record.WarnShared(s.open(), all)
	if err != nil || len(warnings) != len(s.want[shared]) {
		t.Fatalf("%d warnings, %v", len(warnings), err)
	}
	for _, w := range warnings {
		for _, id := range s.want[shared] {
			if strings.Count(w, id) != 1 {
				t.Errorf("%s is not in %q", id, w)
			}
		}
	}
	if _, err := record.WarnShared(s.open(), []string{"sha256:" + strings.Repeat("0", 64)}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("an id that is not stored: %v", err)
	}
}

// A packet that was changed holds no token as long as it is not what was written, and what it said meanwhile is not remembered.
func TestChangedPacketHoldsNoToken(t *testing.T) {
	for when, forgets := range map[string]bool{"remembered": false, "not remembered": true} {
		s := newTokens(t)
		s.check("first")
		s.remember()
		if forgets {
			s.replace(s.cache(), nil)
		}
		id := s.want[shared][0]
		row, err := s.open().Find(id)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(s.dir, "handoffs", row.File)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := s.want[shared]
		for _, changed := range []string{strings.ReplaceAll(string(text), shared, "another-token"), strings.ReplaceAll(string(text), "handoff-record=packet/", "")} {
			s.replace(path, []byte(changed))
			s.want[shared] = all[1:]
			s.check(when + ", changed")
			s.replace(path, text)
			s.want[shared] = all
			s.check(when + ", restored")
		}
	}
}
