package handoff_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Whether a token is searched first or later makes no difference, and the first line of a token counts. A torn
// last line was never committed.
func TestLedgerFindsEveryToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".run"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, nil)
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOf(rapid.StringMatching(`[ab]{8,9}`)).Draw(t, "tokens")
		var text strings.Builder
		first := map[string]string{}
		for i, token := range tokens {
			operator := fmt.Sprintf("op%d", i)
			fmt.Fprintf(&text, `{"token":"%s","handoff_id":"sha256:%064d","operator_id":"%s","ts_utc":"2026-05-07T12:00:00Z"}`+"\n", token, i, operator)
			if first[token] == "" {
				first[token] = operator
			}
		}
		text.WriteString(`{"token":"torntorn","handoff_id":`)
		if err := os.WriteFile(filepath.Join(dir, ".run", "consumed-tokens.jsonl"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		asked := rapid.SliceOf(rapid.OneOf(rapid.StringMatching(`[ab]{7,10}`), rapid.Just("torntorn"))).Draw(t, "asked")
		warm, err := s.Records().Ledger()
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range append(asked, tokens...) {
			cold, err := s.Records().Ledger()
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []*handoff.Ledger{cold, warm} {
				by, want := l.Consumed(token, ""), first[token]
				if (by == nil) != (want == "") || by != nil && by.Operator != want {
					t.Fatalf("%s: %+v, want %q", token, by, want)
				}
			}
		}
	})
}

func TestDamagedLedgerSaysNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".run"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".run", "consumed-tokens.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir, nil).Records().Ledger(); !errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("%v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", path); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir, nil).Records().Ledger(); !errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("%v", err)
	}
}
