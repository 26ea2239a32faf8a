package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// all performs an act on several handoffs and returns the states of the receipts.
func all(root, operator string, act handoff.Act, ids ...string) (states string, err error) {
	o := options(root)
	o.Once = exchange.Once(remote(root))
	s, err := handoff.Open(o)
	if err != nil {
		return "", err
	}
	err = s.Lifecycle().ActAll(context.Background(), act, ids, handoff.Consumption{Operator: operator}, func(got handoff.ActReceipt) error {
		states += got.Status + " " + got.State + ", "
		return nil
	})
	return states, err
}

// countPushes returns a file to which the hub adds a line for each push, and its URL.
func countPushes(t *testing.T, hub string) (count, url string) {
	count = filepath.Join(filepath.Dir(hub), "count")
	hook(t, hub, "pre-receive", "echo push >>"+count)
	return count, smartHTTP(t, filepath.Dir(hub), "REMOTE_USER=ann") + "/hub.git"
}

// A take is one push, however many handoffs it takes, and so is a done. A sync without news pushes nothing.
func TestPushes(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	count, url := countPushes(t, hub)
	for _, root := range roots {
		git(t, root, "remote", "set-url", "origin", url)
	}
	pushes := func(want int, what string) {
		t.Helper()
		text, err := os.ReadFile(count)
		if got := strings.Count(string(text), "push"); err != nil || got != want {
			t.Errorf("%s: %d pushes, want %d, %v", what, got, want, err)
		}
		os.WriteFile(count, nil, 0o600)
	}
	ids := []string{write(t, roots[0], "one"), write(t, roots[0], "two"), write(t, roots[0], "three"), write(t, roots[0], "four")}
	mustSync(t, roots[0])
	pushes(1, "a sync of 4")
	mustSync(t, roots[1])
	write(t, roots[1], "another")
	pushes(0, "a sync without news")

	if states, err := all(roots[1], "ben", handoff.ActTake, ids[0], ids[1], ids[0]); err != nil || states != "changed taken, changed taken, existing taken, " {
		t.Errorf("%q %v", states, err)
	}
	pushes(1, "a take of 2")
	if states, err := all(roots[1], "ben", handoff.ActDone, ids[0], ids[1], ids[2]); err != nil || states != "changed done, changed done, changed done, " {
		t.Errorf("%q %v", states, err)
	}
	pushes(1, "a done of 3")

	// Another clone was first with the second one. The first one is taken, the third one is not tried.
	mustSync(t, roots[1])
	pushes(1, "a sync of another")
	if _, err := all(roots[0], "ann", handoff.ActTake, ids[3]); err != nil {
		t.Fatal(err)
	}
	last := write(t, roots[1], "last")
	if states, err := all(roots[1], "cat", handoff.ActTake, last, ids[3], ids[2]); states != "changed taken, " || !errors.As(err, new(*handoff.TakenError)) {
		t.Errorf("%q %v", states, err)
	}
	for range 2 {
		mustSync(t, roots[0])
		mustSync(t, roots[1])
	}
	for _, root := range roots {
		lives, err := mustOpen(t, root).Lifecycle().Taking(ids[2])
		if err != nil || lives[ids[2]].Done.Operator != "ben" {
			t.Errorf("%+v %v", lives, err)
		}
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
}

// Many claims go as one pattern: together for one take, each for itself in a sync after takes without the remote.
func TestManyClaims(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	count, url := countPushes(t, hub)
	sources := make([]handoff.Source, 60)
	for i := range sources {
		sources[i] = doc(fmt.Sprint("work-", i))
	}
	receipts, err := mustOpen(t, roots[0]).WriteAll(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range receipts {
		ids = append(ids, r.ID)
	}
	for _, root := range roots {
		git(t, root, "remote", "set-url", "origin", url)
		mustSync(t, root)
	}
	os.WriteFile(count, nil, 0o600)
	if states, err := all(roots[1], "ben", handoff.ActTake, ids[:30]...); err != nil || strings.Count(states, "changed taken") != 30 {
		t.Errorf("%q %v", states, err)
	}
	if text, err := os.ReadFile(count); err != nil || string(text) != "push\n" {
		t.Errorf("%q %v", text, err)
	}

	// Together is all or none: the first one is taken by itself, and the others are not tried.
	mixed := append([]string{ids[30], ids[0]}, ids[31:58]...)
	if states, err := all(roots[0], "ann", handoff.ActTake, mixed...); states != "changed taken, " || !errors.As(err, new(*handoff.TakenError)) {
		t.Errorf("%q %v", states, err)
	}
	o := options(roots[1])
	o.Offline = true
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Lifecycle().ActAll(context.Background(), handoff.ActTake, ids[30:], handoff.Consumption{Operator: "ben"}, func(handoff.ActReceipt) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got := mustSync(t, roots[1]); len(got.Lost) != 1 || got.Lost[0].First.HandoffID != ids[30] {
		t.Errorf("%+v", got.Lost)
	}
	mustSync(t, roots[0])
	for i, id := range ids {
		lives, err := mustOpen(t, roots[0]).Lifecycle().Taking(id)
		if want := map[bool]string{true: "ann", false: "ben"}[i == 30]; err != nil || lives[id].Take.Holds().Operator != want {
			t.Errorf("%d: %+v %v", i, lives[id].Take, err)
		}
	}
	if refs := strings.Count(git(t, hub, "for-each-ref", namespace+"/claims"), "\n") + 1; refs != len(ids) {
		t.Errorf("%d claims of %d handoffs", refs, len(ids))
	}
	if left, err := filepath.Glob(outside(t, roots[1], "sync.git/push")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
