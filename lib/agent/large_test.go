//go:build unix

package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Drafts as large as may be, and one that is larger, keep no session from being told.
func TestLargeDrafts(t *testing.T) {
	root := newProject(t, 1, "x\n")
	s := open(t, root)
	d, err := s.Sessions().SaveDraft(t.Context(), handoff.Draft{Hook: true, Agent: "claude", Session: "s-9", Text: strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, ".run/drafts", d.ID+"*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	tell := func() string {
		out, problems := start(agent.Session{Agent: "plain", To: "ben"}, root)
		if !strings.Contains(out, "1 unread handoff for ben") || problems != "" {
			t.Errorf("%q, %q", out, problems)
		}
		return out
	}
	if out := tell(); !strings.Contains(out, "the last session here ended") {
		t.Errorf("the draft is not told of: %q", out)
	}
	if err := os.WriteFile(files[0], []byte(`{"hook":true,"text":"`+strings.Repeat("x", 8<<20)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := tell(); strings.Contains(out, "the last session") {
		t.Errorf("a draft that is not what was saved is told of: %q", out)
	}
}
