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

// check asks for every token.
func (s tokens) check(when string) {
	s.Helper()
	ask := record.Holders(s.open())
	for token, want := range s.want {
		got, err := ask(token)
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			s.Errorf("%s: %s is in %q, want %q: %v", when, token, got, want, err)
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

// A packet that was changed holds no token as long as it is not what was written.
func TestChangedPacketHoldsNoToken(t *testing.T) {
	s := newTokens(t)
	s.check("first")
	all := s.want[shared]
	row, err := s.open().Find(all[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "handoffs", row.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(text []byte) {
		if err := errors.Join(os.Remove(path), os.WriteFile(path, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, changed := range []string{strings.ReplaceAll(string(text), shared, "another-token"), strings.ReplaceAll(string(text), "handoff-record=packet/", "")} {
		replace([]byte(changed))
		s.want[shared] = slices.Clone(all[1:])
		s.check("changed")
		replace(text)
		s.want[shared] = all
		s.check("restored")
	}
}
