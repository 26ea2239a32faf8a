package exchange_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

var seeds = flag.Int("seeds", 0, "how many random orders TestPruningInAnyOrder goes through; 0 is 3, where HANDOFF_FAULTS is set")

// In whatever order clones archive, bring back, prune, mark and exchange a handoff: all end with the same.
func TestPruningInAnyOrder(t *testing.T) {
	t.Parallel()
	simulation(t, *seeds > 0)
	orders := *seeds
	if orders == 0 {
		orders = 3
	}
	for range orders {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		_, roots := clones(t, 3)
		id := write(t, roots[0], "all-have-it")
		mark(t, roots[0], id, "ben")
		for _, root := range roots {
			mustSync(t, root)
		}
		var done []string
		for range map[bool]int{false: 16, true: 40}[isThorough()] {
			n := random.IntN(len(roots))
			does := []string{"archive", "unarchive", "prune", "prune", "mark", "sync", "sync", "sync"}[random.IntN(8)]
			done = append(done, fmt.Sprint(n, " ", does))
			put(t, roots[n], id, does, fmt.Sprintf("op%d", random.IntN(4)))
		}
		for range 3 {
			for _, root := range roots {
				mustSync(t, root)
			}
		}
		want, turns := marksOf(t, roots[0]), turnsOf(t, roots[0], id)
		for _, root := range roots[1:] {
			diff := cmp.Diff(turns, turnsOf(t, root, id))
			if !mustOpen(t, root).Lifecycle().Of(id).Archive.Holds().IsDone() { // else it may be gone in one, and hidden in another
				diff += cmp.Diff(want, marksOf(t, root))
			}
			if diff != "" {
				t.Fatalf("seed %d: %v\n%s has something else than the first: %s", seed, done, root, diff)
			}
		}
	}
}

// turnsOf says how often a handoff was put away and brought back, as a clone knows it, and whether it is away.
func turnsOf(t *testing.T, root, id string) string {
	t.Helper()
	archive := mustOpen(t, root).Lifecycle().Of(id).Archive
	return fmt.Sprint(archive.N, archive.Holds().IsDone())
}

// put has a clone do something with a handoff, if it has it.
func put(t *testing.T, root, id, does, operator string) {
	t.Helper()
	s := mustOpen(t, root)
	ctx, who := context.Background(), handoff.Consumption{Operator: "ann"}
	got, err := s.Read(id)
	if does == "sync" {
		mustSync(t, root)
		return
	}
	if errors.Is(err, handoff.ErrInvalid) {
		return
	}
	switch {
	case err != nil:
	case does == "mark":
		mark(t, root, id, operator)
	case does == "prune":
		var may []handoff.Entry
		if may, _, err = s.Prunable("ann", time.Nanosecond); len(may) > 0 {
			_, err = s.Prune(ctx, "ann", may, map[string]string{id: fmt.Sprintf("%x", sha256.Sum256(got.Text))}, "")
		}
	default:
		_, err = s.Act(ctx, handoff.Act(does), id, who)
	}
	if err != nil {
		t.Fatal(does, err)
	}
}

func mark(t *testing.T, root, id, operator string) {
	t.Helper()
	if _, err := mustOpen(t, root).MarkRead(context.Background(), operator, id); err != nil {
		t.Fatal(err)
	}
}
