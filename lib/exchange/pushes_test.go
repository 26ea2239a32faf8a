package exchange_test

import (
	"context"
	"errors"
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

// A take is one push, however many handoffs it takes, and so is a done. A sync without news pushes nothing.
func TestPushes(t *testing.T) {
	t.Parallel()
	hub, roots := clones(t, 2)
	count := filepath.Join(filepath.Dir(hub), "count")
	hook(t, hub, "pre-receive", "echo push >>"+count)
	url := smartHTTP(t, filepath.Dir(hub), "REMOTE_USER=ann") + "/hub.git"
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
