package exchange_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// What one has read and done is told by that one alone: who takes it over has nothing to send.
func TestNothingIsRelayed(t *testing.T) {
	t.Parallel()
	hub, roots, id := shared(t, 4)
	other := write(t, roots[0], "read-alone")
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	if _, err := mustOpen(t, roots[2]).MarkRead(context.Background(), "cat", other); err != nil {
		t.Fatal(err)
	}
	if err := resume(roots[3], "ann", id, "once"); err != nil {
		t.Fatal(err)
	}
	for n, root := range roots[2:4] {
		if got := mustSync(t, root); !got.Told {
			t.Errorf("who did it tells nobody: %d %+v", n, got)
		}
	}
	refs := git(t, hub, "for-each-ref", "refs/handoff")
	for range 2 {
		for _, root := range roots {
			if got := mustSync(t, root); got.Told {
				t.Errorf("%s tells what others have told: %+v", root, got)
			}
		}
	}
	if after := git(t, hub, "for-each-ref", "refs/handoff"); after != refs {
		t.Errorf("the remote had\n%s\nand has\n%s", refs, after)
	}
	want := marksOf(t, roots[2])
	for _, root := range roots {
		if got := marksOf(t, root); fmt.Sprint(got) != fmt.Sprint(want) || got[other]["cat"] == "" || got[id]["ann"] == "" {
			t.Errorf("%s: %v", root, got)
		}
		log, err := os.ReadFile(filepath.Join(root, ".run", "handoff-events.jsonl"))
		if n := strings.Count(string(log), `"handoff.mark_read"`); err != nil || n != 2 {
			t.Errorf("%s has logged %d marks: %v", root, n, err)
		}
	}
}

// A bundle is told: nobody else has its marks.
func TestMarksOfABundleAreTold(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	s := mustOpen(t, roots[0])
	_, _, err := s.Exchange().TakeOver(context.Background(), false, handoff.Received{
		Marks: map[string][]handoff.Mark{id: {{Operator: "cat", Time: "2026-05-08T12:00:00Z"}}},
		Acts:  []handoff.Consumption{{Token: token, HandoffID: id, Operator: "cat", Time: "2026-05-08T12:00:00Z"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	if got := mustSync(t, roots[1]); got.Marks != 1 || got.Tokens != 1 {
		t.Errorf("%+v", got)
	}
	if marks := marksOf(t, roots[1]); marks[id]["cat"] != "2026-05-08T12:00:00Z" {
		t.Error(marks)
	}
}

// A token that a log tells of, and that nobody has claimed, counts once it is claimed by who has it.
func TestTokensOfALog(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 3)
	id := write(t, roots[0], "work")
	if err := resume(roots[0], "ann", id, "once"); err != nil { // it never synced
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	for _, ref := range strings.Fields(git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/claims")) {
		git(t, hub, "update-ref", "-d", ref)
	}
	if got := mustSync(t, roots[1]); len(got.Received) != 1 || got.Tokens != 0 {
		t.Errorf("%+v", got)
	}
	mustSync(t, roots[0])
	if got := mustSync(t, roots[1]); got.Tokens != 2 { // the take, too
		t.Errorf("%+v", got)
	}
	if n := len(strings.Fields(git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/claims"))); n != 2 {
		t.Errorf("%d claims", n)
	}
	mustAgree(t, roots)
}

// A server that takes branches alone has the claims below a branch.
func TestClaimsBelowABranch(t *testing.T) {
	hub, roots := clones(t, 2)
	namespace = "refs/heads/handoff"
	defer func() { namespace = "refs/handoff" }()
	id := write(t, roots[0], "work")
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	if err := resume(roots[1], "ben", id, "once"); err != nil {
		t.Fatal(err)
	}
	if err := resume(roots[0], "ann", id, "once"); err == nil {
		t.Error("both have it")
	}
	mustAgree(t, roots)
	if refs := git(t, hub, "for-each-ref", "--format=%(refname)"); strings.Contains(refs, "refs/handoff/") || !strings.Contains(refs, "refs/heads/handoff/claims/") {
		t.Error(refs)
	}
}
