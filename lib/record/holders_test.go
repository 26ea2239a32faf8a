package record_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

// Those that share a token are found and named, each with the others.
func TestShared(t *testing.T) {
	dir, o := t.TempDir(), options()
	o.Head.From, o.Head.Topic = "ann", "tokens"
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(dir, "handoffs"), UserState: dir + ".state", Rules: schema.Frontmatter(),
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	const shared = "shared-token"
	var all, sharing []string
	for i := range 9 {
		token := fmt.Sprintf("token-%04d", i)
		if i%3 == 0 {
			token = shared
		}
		text := fmt.Sprintf(`{"objective": "Mend the parser", "completed": ["Read %d files"], "unresolved": ["No blockers"], "assumptions": ["None"],
"next_action": "Run the tests of part %d", "risks": ["None"], "updated_at": "2026-05-07T12:00:00Z", "resume_token": %q}`, i, i, token)
		got, err := s.WriteAll(t.Context(), []handoff.Source{record.Source(fmt.Sprint(i), []byte(text), o)})
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, got[0].ID); token == shared {
			sharing = append(sharing, got[0].ID)
		}
	}
	for token, want := range map[string][]string{shared: sharing, "token-0001": all[1:2], "nobodys-token": nil} {
		if got, err := s.Records().Sharing(token); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is in %q, want %q: %v", token, got, want, err)
		}
	}
	warnings, err := record.WarnShared(s, all)
	if err != nil || len(warnings) != len(sharing) {
		t.Fatalf("%d warnings, %v", len(warnings), err)
	}
	for _, w := range warnings {
		for _, id := range sharing {
			if strings.Count(w, id) != 1 {
				t.Errorf("%s is not in %q", id, w)
			}
		}
	}
	if _, err := record.WarnShared(s, []string{"sha256:" + strings.Repeat("0", 64)}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("an id that is not stored: %v", err)
	}
}
