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
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
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

// Two clones took and finished one handoff, since the remote was put back to a backup in between. No clone believes the
// other fold until its user restores the remote. Then every clone says that the first one did it, and the other one is
// told.
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
		finish(t, roots[0], "ann", id, 0)
		if err := errors.Join(os.RemoveAll(hub), os.Rename(backup, hub)); err != nil {
			t.Fatal(err)
		}
		finish(t, roots[1], "ben", id, 10*time.Second) // not in the same second
		restored := func(n int) exchange.Result {
			t.Helper()
			o := remote(roots[n])
			o.Restore = true
			got, err := exchange.Sync(t.Context(), mustOpen(t, roots[n]), o)
			if err != nil {
				t.Error(order, n, err)
			}
			return got
		}
		restored(0)
		if _, err := sync(roots[1]); !errors.Is(err, handoff.ErrIntegrity) || !strings.Contains(err.Error(), "was moved") {
			t.Errorf("%v: ben's clone believes it: %v", order, err)
		}
		if life := mustOpen(t, roots[1]).Lifecycle().Of(id); life.Done.Operator != "ben" {
			t.Errorf("%v: %+v", order, life)
		}
		var lost []exchange.Lost
		for _, n := range order {
			got := restored(n)
			if lost = append(lost, got.Lost...); len(got.Lost) > 0 && n != 1 {
				t.Errorf("%v: clone %d is told %+v", order, n, got.Lost)
			}
		}
		if len(lost) != 1 || lost[0].First.Operator != "ann" || lost[0].Here.Operator != "ben" {
			t.Errorf("%v: %+v", order, lost)
		}
		for n, root := range roots[:3] {
			mustSync(t, root)
			life := mustOpen(t, root).Lifecycle().Of(id)
			if life.Done.Operator != "ann" || life.Take.Holds().Operator != "ann" {
				t.Errorf("%v: clone %d says %+v", order, n, life)
			}
			if report, err := mustOpen(t, root).Verify(t.Context()); err != nil || len(report.Faults) > 0 {
				t.Error(root, err, report.Faults)
			}
		}
	}
}

// finish takes and finishes a handoff in a clone whose clock is ahead, and publishes that.
func finish(t *testing.T, root, operator, id string, ahead time.Duration) {
	t.Helper()
	o := options(root)
	o.Once, o.Now = exchange.Once(remote(root)), func() time.Time { return time.Now().Add(ahead) }
	s, err := handoff.Open(o)
	for _, act := range []handoff.Act{handoff.ActTake, handoff.ActDone} {
		if err == nil {
			err = s.Lifecycle().ActAll(t.Context(), act, []string{id}, handoff.Consumption{Operator: operator},
				func(handoff.ActReceipt) error { return nil })
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	mustSync(t, root)
}

// A stranger folds claims in the name of the one who has finished a handoff, or has it: of an earlier time, and with
// another ending. What a clone knows stays.
func TestForgedEarlierFolds(t *testing.T) {
	t.Parallel()
	for before, acts := range map[bool][]handoff.Act{true: {handoff.ActTake},
		false: {handoff.ActTake, handoff.ActDone, handoff.ActRelease}} {
		for _, act := range acts {
			hub, roots := clones(t, 3)
			id := write(t, roots[0], "one")
			write(t, roots[2], "two")
			for _, root := range append(roots, roots...) {
				mustSync(t, root)
			}
			forger, err := mustOpen(t, roots[2]).Exchange().Writer()
			if err != nil {
				t.Fatal(err)
			}
			forge := func() {
				line := handoff.Consumption{Token: act.Key(id, 0), HandoffID: id, Operator: "ben",
					Time: "2026-05-07T13:00:00Z"}
				text, err := eventlog.NewClaim(line, forger).Bytes()
				if err != nil {
					t.Fatal(err)
				}
				commitFile(t, hub, "refs/handoff/writers/"+forger, "2026-05-07/"+eventlog.ClaimName(line.Token)+".claim", string(text))
			}
			states, err := all(roots[0], "ben", handoff.ActTake, id)
			if err != nil {
				t.Fatal(states, err)
			}
			mustSync(t, roots[1])
			if before {
				forge()
				sync(roots[1])
			}
			if states, err := all(roots[0], "ben", handoff.ActDone, id); err != nil {
				t.Fatal(states, err)
			}
			sync(roots[0])
			if !before {
				sync(roots[1])
				forge()
			}
			for range 2 {
				for _, root := range roots[:2] {
					if _, err := sync(root); err != nil && !errors.Is(err, handoff.ErrIntegrity) {
						t.Error(err)
					}
				}
			}
			for n, root := range roots[:2] {
				life := mustOpen(t, root).Lifecycle().Of(id)
				if !life.Done.IsDone() || life.Done.Time == "2026-05-07T13:00:00Z" || life.Take.Holds().Time == "2026-05-07T13:00:00Z" {
					t.Errorf("%s, before %v: clone %d says %+v", act, before, n, life)
				}
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

// A writer folds a claim, and the remote refuses. The remote is put back to a backup, and another clone wins the action.
// A clone that has known neither believes the one that stands at the remote, as the others do.
func TestFoldBesideAnotherClaim(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 4)
	id := write(t, roots[2], "one")
	for _, root := range append(roots[2:3], roots[:3]...) {
		mustSync(t, root)
	}
	backup := hub + ".backup"
	if out, err := exec.Command("cp", "-a", hub, backup).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	acts := func(root, operator string) {
		for _, act := range []handoff.Act{handoff.ActTake, handoff.ActDone} {
			if states, err := all(root, operator, act, id); err != nil {
				t.Fatal(states, err)
			}
		}
	}
	acts(roots[0], "ann")
	lock := filepath.Join(hub, "refs", "handoff", "folded.lock")
	if err := errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	if err := errors.Join(os.RemoveAll(hub), os.Rename(backup, hub)); err != nil {
		t.Fatal(err)
	}
	acts(roots[1], "ben")
	for _, n := range []int{2, 0, 2, 1, 0, 2, 1, 3} {
		if _, err := sync(roots[n]); err != nil && n != 0 { // clone 0 reports that the remote has lost its claim
			t.Errorf("clone %d: %v", n, err)
		}
	}
	if life := mustOpen(t, roots[3]).Lifecycle().Of(id); life.Done.Operator != "ben" {
		t.Errorf("a clone that has known neither claim says that %s has finished it", life.Done.Operator)
	}
}
