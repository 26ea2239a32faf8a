package handoff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What is remembered of archives is never another answer: whatever was done, also by an editor, the unread are the same
// as those that a reader without the memory finds.
func TestArchivesThatNeedNotBeRead(t *testing.T) {
	t.Parallel()
	root, state := t.TempDir(), t.TempDir()
	edit := func(o *handoff.Options) { o.IndexMaxRows, o.UserState = 4, state }
	without := func(o *handoff.Options) { edit(o); o.UserState = "" }
	s := open(t, root, edit)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	names := []string{"ben", "cy", "dee"}
	var ids []string
	for n := range 30 {
		switch id := ""; r.IntN(4) {
		case 0, 1:
			doc := fmt.Sprintf("---\nschema_version: \"1.0\"\nfrom: ann\nto: %s\ntopic: t-%d\nts_utc: %q\n---\nx\n",
				names[r.IntN(3)], n, "2026-05-08T08:00:00Z")
			got, err := s.Write(t.Context(), []byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, got.ID)
		case 2:
			if len(ids) > 0 {
				id = ids[r.IntN(len(ids))]
				mark := s.MarkRead
				if r.IntN(3) == 0 {
					mark = s.MarkUnread
				}
				if _, err := mark(t.Context(), names[r.IntN(3)], id); err != nil {
					t.Fatal(err)
				}
			}
		case 3:
			if _, err := s.MarkAllRead(t.Context(), names[r.IntN(3)]); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			filter := handoff.Filter{To: name, Unread: true}
			got, err := open(t, root, edit).List(filter)
			want, wantErr := open(t, root, without).List(filter)
			if err != nil || wantErr != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %s has %d unread, without the memory %d; %v, %v", seed, n, name, len(got), len(want), err, wantErr)
			}
		}
	}
	kept, _ := filepath.Glob(filepath.Join(state, "handoff", "*", "archives"))
	more, _ := filepath.Glob(filepath.Join(state, "*", "archives"))
	if len(kept)+len(more) == 0 {
		all, _ := os.ReadDir(state)
		t.Errorf("nothing was remembered: %v", all)
	}
}
