package exchange_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Claims whose handoffs ended leave no refs. They count in every clone, and a clone that has not heard of them cannot
// win them again.
func TestFoldedClaims(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 4)
	late := roots[3]
	roots = roots[:3]
	stale := roots[2]
	var ids []string
	for _, topic := range []string{"one", "two", "three"} {
		ids = append(ids, write(t, roots[0], topic))
	}
	for _, root := range roots {
		mustSync(t, root)
	}
	for _, act := range []handoff.Act{handoff.ActTake, handoff.ActDone} {
		if states, err := all(roots[1], "ben", act, ids...); err != nil {
			t.Fatal(states, err)
		}
	}
	claims := func() int {
		return len(strings.Fields(git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/claims")))
	}
	if n := claims(); n != 6 {
		t.Errorf("%d claims before", n)
	}
	mustSync(t, roots[1])
	if n := claims(); n != 0 {
		t.Errorf("%d claims after", n)
	}
	if n := len(strings.Fields(git(t, hub, "for-each-ref", "--format=%(refname)"))); n > 3*len(roots) {
		t.Errorf("%d refs of %d writers", n, len(roots))
	}
	if states, err := all(stale, "cat", handoff.ActTake, ids[0]); err == nil {
		t.Errorf("a clone that had not heard of it has won: %s", states)
	}
	if got := stateOf(t, mustOpen(t, stale), ids[0]); got != "done" {
		t.Errorf("the stale clone says %q", got)
	}
	roots = append(roots, late)
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	if n := claims(); n != 0 {
		t.Errorf("%d claims were put back", n)
	}
	o := remote(roots[0])
	o.Restore = true
	if _, err := exchange.Sync(t.Context(), mustOpen(t, roots[0]), o); err != nil || claims() != 0 {
		t.Errorf("%v, %d claims were restored", err, claims())
	}
	for _, root := range roots {
		for _, id := range ids {
			if got := stateOf(t, mustOpen(t, root), id); got != "done" {
				t.Errorf("%s: %q", root, got)
			}
		}
		if report, err := mustOpen(t, root).Verify(t.Context()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
	if _, err := all(roots[1], "ben", handoff.ActReopen, ids[0]); err != nil { // taken back after the fold
		t.Error(err)
	}
	for _, root := range roots {
		mustSync(t, root)
		if got := stateOf(t, mustOpen(t, root), ids[0]); got == "done" {
			t.Errorf("%s: still done", root)
		}
	}
}

// Two clones took and finished one handoff, since the remote was put back to a backup in between. Every clone says in
// the end that the first one did it, and the other one is told.
func TestFoldedTwice(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2, 0, 1, 2}, {2, 1, 0, 1, 2, 0}, {1, 2, 0, 2, 1, 0}} {
		hub, roots := clones(t, 4)
		id := write(t, roots[3], "one")
		for _, root := range append(roots[3:], roots...) {
			mustSync(t, root)
		}
		backup := hub + ".backup"
		if out, err := exec.Command("cp", "-a", hub, backup).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		act := func(root, who string) {
			t.Helper()
			for _, act := range []handoff.Act{handoff.ActTake, handoff.ActDone} {
				if states, err := all(root, who, act, id); err != nil {
					t.Fatal(states, err)
				}
			}
			mustSync(t, root)
		}
		act(roots[0], "ann")
		time.Sleep(1100 * time.Millisecond) // the times of claims are whole seconds
		if err := errors.Join(os.RemoveAll(hub), os.Rename(backup, hub)); err != nil {
			t.Fatal(err)
		}
		act(roots[1], "ben")
		var lost []exchange.Lost
		for _, n := range order {
			o := remote(roots[n])
			o.Restore = n == 0
			got, err := exchange.Sync(t.Context(), mustOpen(t, roots[n]), o)
			if err != nil {
				t.Error(order, n, err)
			}
			if lost = append(lost, got.Lost...); len(got.Lost) > 0 && n != 1 {
				t.Errorf("%v: clone %d is told %+v", order, n, got.Lost)
			}
		}
		if len(lost) != 1 || lost[0].First.Operator != "ann" || lost[0].Here.Operator != "ben" {
			t.Errorf("%v: %+v", order, lost)
		}
		for n, root := range roots[:3] {
			if life := mustOpen(t, root).Lifecycle().Of(id); life.Done.Operator != "ann" || life.Take.Holds().Operator != "ann" {
				t.Errorf("%v: clone %d says %+v", order, n, life)
			}
			if report, err := mustOpen(t, root).Verify(t.Context()); err != nil || len(report.Faults) > 0 {
				t.Error(root, err, report.Faults)
			}
		}
	}
}

// A remote that has lost the ref of all folds gets a new one with the next take. A clone that has not heard of a fold
// cannot win its claim then either.
func TestLostFoldRef(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 3)
	taker, folder, stale := roots[0], roots[1], roots[2]
	folded, open := write(t, taker, "one"), write(t, taker, "two")
	for _, root := range roots {
		mustSync(t, root)
	}
	for _, act := range []handoff.Act{handoff.ActTake, handoff.ActDone} {
		if states, err := all(folder, "ben", act, folded); err != nil {
			t.Fatal(states, err)
		}
	}
	mustSync(t, folder)
	git(t, hub, "update-ref", "-d", "refs/handoff/folded")
	for range 2 {
		if states, err := all(taker, "ann", handoff.ActTake, open); err != nil {
			t.Errorf("%s, %v", states, err)
		}
	}
	if ref := git(t, hub, "for-each-ref", "refs/handoff/folded"); ref == "" {
		t.Error("the ref is still lost")
	}
	if states, err := all(stale, "cat", handoff.ActTake, folded); err == nil {
		t.Errorf("a clone that had not heard of the fold has won: %s", states)
	}
	for _, root := range roots {
		mustSync(t, root)
		s := mustOpen(t, root)
		if one, two := stateOf(t, s, folded), stateOf(t, s, open); one != "done" || two != "taken" {
			t.Errorf("%s: %q, %q", root, one, two)
		}
	}
}

// A writer can fold only claims of its own.
func TestForgedFolds(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	id := write(t, roots[0], "one")
	mustSync(t, roots[0])
	if _, err := all(roots[0], "ann", handoff.ActTake, id); err != nil {
		t.Fatal(err)
	}
	refs := strings.Fields(git(t, hub, "for-each-ref", "--format=%(refname)", "refs/handoff/claims"))
	text := git(t, hub, "show", refs[0]+":claim.json")
	writer, err := mustOpen(t, roots[0]).Exchange().Writer()
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(text, writer, "w-0123456789abcdef", 1)
	file := "2026-05-07/" + filepath.Base(refs[0]) + ".claim"
	commitFile(t, hub, "refs/handoff/writers/"+writer, file, forged)
	got, err := sync(roots[1])
	if !errors.Is(err, handoff.ErrIntegrity) || len(got.Refused) != 1 || !strings.Contains(err.Error(), "not a claim of it") {
		t.Errorf("%v %+v", err, got)
	}
}

// commitFile adds a file to the tree of a ref.
func commitFile(t testing.TB, hub, ref, file, text string) {
	t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--done", "--date-format=raw")
	cmd.Dir = hub
	cmd.Stdin = strings.NewReader(fmt.Sprintf("commit %s\ncommitter x <x@x> 1 +0000\ndata 1\nx\nfrom %s\nM 100644 inline %s\ndata %d\n%s\ndone\n",
		ref, git(t, hub, "rev-parse", ref), file, len(text), text))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
}
