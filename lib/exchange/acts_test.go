package exchange_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

var (
	actSeed  = flag.Uint64("actseed", 0, "what TestActsEndTheSame begins with, as a failure names it; 0 is random")
	actSteps = flag.Int("actsteps", 0, "how much is done in it; 0 is 60")
)

// ending is what has become of a handoff in a clone.
type ending struct {
	State, Holder, Done string
	Marks               map[string]string
}

func endings(t testing.TB, root string) map[string]ending {
	t.Helper()
	s := mustOpen(t, root)
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	states, _ := s.Lifecycle().States(entries)
	lives, err := s.Lifecycle().Taking("")
	if err != nil {
		t.Fatal(err)
	}
	marks, all := marksOf(t, root), make(map[string]ending)
	for i, e := range entries {
		l := lives[e.ID]
		all[e.ID] = ending{string(states[i]), l.Take.Holds().Operator, l.Done.Operator, marks[e.ID]}
		if l.Done.IsDone() {
			all[e.ID] = ending{string(states[i]), "", l.Done.Operator, marks[e.ID]}
		}
	}
	return all
}

// An actor does things in one clone. The same operator may work in two.
type actor struct{ root, operator string }

// step does one thing at random, and returns what it was and whether it was acknowledged.
func (a actor) step(t testing.TB, r *rand.Rand, ids []string) (what, id string, err error) {
	id = ids[r.IntN(len(ids))]
	ctx := context.Background()
	switch n := r.IntN(22); {
	case n < 5:
		what = "take"
	case n < 8:
		what = "release"
	case n < 10:
		what = "done"
	case n == 10 || n == 14 || n == 15:
		what = []string{"offline-take", "offline-release", "offline-done"}[r.IntN(3)]
	case n == 11:
		act := []handoff.Act{handoff.ActArchive, handoff.ActUnarchive}[r.IntN(2)]
		_, err := mustOpen(t, a.root).Act(ctx, act, id, handoff.Consumption{Operator: "ann"})
		return "archive", id, err
	case n < 13:
		_, err := mustOpen(t, a.root).MarkRead(ctx, a.operator, id)
		return "mark-read", id, err
	case n == 13:
		_, err := mustOpen(t, a.root).MarkUnread(ctx, a.operator, id)
		return "mark-unread", id, err
	case n == 17 || n == 18:
		what = []string{"killed-take", "killed-release", "killed-done", "killed-reopen"}[r.IntN(4)]
	case n == 16:
		what = []string{"reopen", "offline-reopen"}[r.IntN(2)]
	default:
		_, err := sync(a.root)
		return "sync", "", err
	}
	return what, id, resume(a.root, a.operator, id, what)
}

// Whatever four clones do with some handoffs, in whatever order, one has each at a time while all ask, and in the
// end all clones say the same.
func TestActsEndTheSame(t *testing.T) {
	t.Parallel()
	simulation(t, *actSteps > 0 || *actSeed > 0)
	seed := *actSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1e9
	}
	_, roots, first := shared(t, 4)
	ids := []string{first, write(t, roots[0], "second"), write(t, roots[1], "third"), write(t, roots[2], "fourth")}
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var story []string
	defer func() {
		if t.Failed() {
			t.Logf("actseed %d:\n%s", seed, strings.Join(story, "\n"))
		}
	}()
	held, over := make(map[string]string), make(map[string]bool) // as it was acknowledged
	contested := make(map[string]bool)                           // somebody did not ask
	steps := *actSteps
	if steps == 0 {
		steps = 60
	}
	for range steps {
		n := r.IntN(len(roots))
		a := actor{roots[n], []string{"ben", "cy", "ben", "dan"}[n]}
		what, id, err := a.step(t, r, ids)
		story = append(story, fmt.Sprintf("%d %s %s %.12s: %v", n, a.operator, what, id, err))
		if err != nil {
			if errors.Is(err, errKilled) {
				contested[id] = true // it may have the claim
			} else if !isExpected(err) {
				t.Fatalf("actseed %d: %s", seed, story[len(story)-1])
			}
			continue
		}
		switch what {
		case "take", "done":
			if held[id] != "" && held[id] != a.operator && !contested[id] {
				t.Errorf("actseed %d: %s has it too: %s", seed, held[id], story[len(story)-1])
			}
			held[id], over[id] = a.operator, over[id] || what == "done"
		case "release":
			if over[id] && !contested[id] {
				t.Errorf("actseed %d: it is done by %s: %s", seed, held[id], story[len(story)-1])
			}
			delete(held, id)
		case "offline-take", "offline-release", "offline-done", "reopen", "offline-reopen":
			contested[id] = true
		}
	}
	for range 3 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	want := endings(t, roots[0])
	for _, root := range roots[1:] {
		if diff := cmp.Diff(want, endings(t, root)); diff != "" {
			t.Errorf("actseed %d: %s\n%s", seed, root, diff)
		}
	}
	for _, root := range roots {
		if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
			t.Error(root, err, report.Faults)
		}
	}
}

// isExpected reports whether an act was refused because somebody else was the first, or has it.
func isExpected(err error) bool {
	isTaken := errors.As(err, new(*handoff.TakenError)) || errors.As(err, new(*handoff.LostError))
	return isTaken || errors.Is(err, handoff.ErrInvalid) || errors.Is(err, handoff.ErrDenied)
}

// What somebody does with a handoff that they have taken without asking counts if they were the first, and else for
// nothing: it is said to them, stands in nobody's way, and all clones agree.
func TestOfflineTurns(t *testing.T) {
	t.Parallel()
	turns := []struct{ offline, online, then, state, holder string }{
		{"take", "take", "release", "taken", "cy"}, // who has lost gives nothing back
		{"take", "take", "done", "taken", "cy"},
		{"take", "take done", "", "done", ""},
		{"take", "take release", "", "unread", ""},
		{"take release", "take", "take", "taken", "cy"},
		{"take release take done", "take", "", "taken", "cy"},
		{"take release take done", "take release", "", "done", ""}, // the second turn was free
		{"done", "take", "", "taken", "cy"},
		{"done", "take release take", "", "taken", "cy"},
		{"offline", "take", "", "taken", "cy"},
		{"offline done", "take done", "", "done", ""},
		{"take", "", "release", "unread", ""},
		{"take release", "", "take", "taken", "ben"},
		{"take release take", "", "done", "done", ""},
	}
	if !isThorough() {
		rand.Shuffle(len(turns), func(i, k int) { turns[i], turns[k] = turns[k], turns[i] })
		turns = turns[:5]
	}
	for _, c := range turns {
		t.Run(c.offline+","+c.online+","+c.then, func(t *testing.T) {
			t.Parallel()
			_, roots, id := shared(t, 3)
			for _, how := range strings.Fields(c.offline) {
				if how != "offline" {
					how = "offline-" + how
				}
				if err := resume(roots[0], "ben", id, how); err != nil {
					t.Fatal(how, err)
				}
			}
			for _, how := range strings.Fields(c.online) {
				if err := resume(roots[1], "cy", id, how); err != nil {
					t.Fatal(how, err)
				}
			}
			if c.then != "" {
				err := resume(roots[0], "ben", id, c.then)
				if isLost := errors.As(err, new(*handoff.TakenError)); isLost != (c.online != "") || !isLost && err != nil {
					t.Error(err)
				}
			}
			if got := mustSync(t, roots[0]); len(got.Lost) == 1 != (c.online != "") {
				t.Errorf("%+v", got.Lost)
			} else if c.online != "" && (got.Lost[0].Here.Operator != "ben" || got.Lost[0].First.Operator != "cy") {
				t.Errorf("%+v", got.Lost)
			}
			for _, root := range []string{roots[2], roots[1], roots[0]} {
				if got := mustSync(t, root); len(got.Lost) > 0 {
					t.Errorf("it is said again: %+v", got.Lost)
				}
			}
			for _, root := range roots {
				s := mustOpen(t, root)
				life := s.Lifecycle().Of(id)
				state := stateOf(t, s, id)
				if state == "read" || state == "offered" {
					state = "unread"
				}
				if holder := life.Take.Holds().Operator; state != c.state || state == "taken" && holder != c.holder {
					t.Errorf("%s: %s by %q", root, state, holder)
				}
			}
			if c.state == "done" {
				return
			}
			if c.holder == "" {
				c.holder = "dan"
			}
			if err := resume(roots[2], c.holder, id, "done"); err != nil {
				t.Errorf("nobody can end it: %v", err)
			}
		})
	}
}
