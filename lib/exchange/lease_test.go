package exchange_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// actAt performs an action in a clone whose clock is late by some time.
func actAt(root string, late time.Duration, offline bool, act handoff.Act, id string, who handoff.Consumption) error {
	o := options(root)
	now := time.Now
	o.Now = func() time.Time { return now().Add(late) }
	o.Once, o.Offline = exchange.Once(remote(root)), offline
	s, err := handoff.Open(o)
	if err != nil {
		return err
	}
	_, err = s.Act(context.Background(), act, id, who)
	return err
}

// A clone that has not heard of a take also waits for the grace after its lease.
func TestTakeOverUnheard(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	ben := handoff.Consumption{Operator: "ben", Session: "s1", For: time.Hour}
	cleo := handoff.Consumption{Operator: "cleo", Session: "s2", For: time.Hour}
	if err := actAt(roots[0], 0, false, handoff.ActTake, id, ben); err != nil {
		t.Fatal(err)
	}
	err := actAt(roots[1], 64*time.Minute, false, handoff.ActTake, id, cleo)
	if taken := (*handoff.TakenError)(nil); !errors.As(err, &taken) || taken.By.Operator != "ben" {
		t.Fatal(err)
	}
	if err := actAt(roots[1], 65*time.Minute, false, handoff.ActTake, id, cleo); err != nil {
		t.Fatal(err)
	}
}

// The sender can release what another clone holds, also before it has heard of the take.
func TestReleaseUnheard(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	ben := handoff.Consumption{Operator: "ben", Session: "s1", For: time.Hour}
	if err := actAt(roots[0], 0, false, handoff.ActTake, id, ben); err != nil {
		t.Fatal(err)
	}
	if err := actAt(roots[1], 0, false, handoff.ActRelease, id, handoff.Consumption{Operator: "ann"}); err != nil {
		t.Fatal(err)
	}
	taken := (*handoff.TakenError)(nil)
	if err := actAt(roots[0], 0, false, handoff.ActDone, id, ben); !errors.As(err, &taken) && !errors.As(err, new(*handoff.LostError)) {
		t.Errorf("a former holder finishes it: %v", err)
	}
}

// A clock that goes back during a lease lets nobody else in, and does not lock out the holder.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	ben := handoff.Consumption{Operator: "ben", Session: "s1", For: time.Hour}
	cleo := handoff.Consumption{Operator: "cleo", Session: "s2"}
	if err := actAt(roots[0], 0, false, handoff.ActTake, id, ben); err != nil {
		t.Fatal(err)
	}
	for _, root := range roots {
		if err := actAt(root, -2*time.Hour, false, handoff.ActTake, id, cleo); !errors.As(err, new(*handoff.TakenError)) {
			t.Errorf("%s: %v", root, err)
		}
	}
	if err := actAt(roots[0], -2*time.Hour, false, handoff.ActDone, id, ben); err != nil {
		t.Error(err)
	}
}

// Over sync a take is taken over once its lease is over everywhere, by one clone. The clone that held it is refused,
// whether it asks the remote or not, and all agree.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"done after", "done offline", "renewed", "two at once"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, roots, id := shared(t, 3)
			ben := handoff.Consumption{Operator: "ben", Session: "s1", For: time.Hour}
			cleo := handoff.Consumption{Operator: "cleo", Session: "s2", For: time.Hour}
			if err := actAt(roots[0], 0, false, handoff.ActTake, id, ben); err != nil {
				t.Fatal(err)
			}
			for _, late := range []time.Duration{59 * time.Minute, 64 * time.Minute} {
				if err := actAt(roots[1], late, false, handoff.ActTake, id, cleo); !errors.As(err, new(*handoff.TakenError)) {
					t.Fatalf("after %v: %v", late, err)
				}
			}
			isOver := func(err error) bool {
				return errors.As(err, new(*handoff.TakenError)) || errors.As(err, new(*handoff.LostError))
			}
			holder, done := "cleo", ""
			switch how {
			case "done after":
				if err := actAt(roots[1], 65*time.Minute, false, handoff.ActTake, id, cleo); err != nil {
					t.Fatal(err)
				}
				if err := actAt(roots[0], 66*time.Minute, false, handoff.ActDone, id, ben); !isOver(err) {
					t.Errorf("the former holder finishes it: %v", err)
				}
			case "done offline": // its claim loses
				if err := actAt(roots[0], 30*time.Minute, true, handoff.ActDone, id, ben); err != nil {
					t.Fatal(err)
				}
				if err := actAt(roots[1], 65*time.Minute, false, handoff.ActTake, id, cleo); err != nil {
					t.Fatal(err)
				}
				if got := mustSync(t, roots[0]); len(got.Lost) != 1 || got.Lost[0].Here.Operator != "ben" || got.Lost[0].First.Operator != "cleo" {
					t.Errorf("lost: %+v", got.Lost)
				}
			case "renewed":
				o := options(roots[0])
				o.Lease = 3 * time.Hour
				s, err := handoff.Open(o)
				if err != nil {
					t.Fatal(err)
				}
				if next, err := s.Lifecycle().Renew(t.Context(), "ben", "s1"); err != nil || next.Before(time.Now().Add(time.Hour)) {
					t.Fatal(next, err)
				}
				mustSync(t, roots[0]) // the other clone has not heard of it
				if err := actAt(roots[1], 65*time.Minute, false, handoff.ActTake, id, cleo); !isOver(err) {
					t.Fatalf("a renewed take is taken over: %v", err)
				}
				if err := actAt(roots[0], 2*time.Hour, false, handoff.ActDone, id, ben); err != nil {
					t.Fatal(err)
				}
				holder, done = "ben", "ben"
			case "two at once": // who loses hears who has won
				if err := actAt(roots[1], 65*time.Minute, false, handoff.ActTake, id, cleo); err != nil {
					t.Fatal(err)
				}
				ann := handoff.Consumption{Operator: "ann", Session: "s3"}
				if err := actAt(roots[2], 65*time.Minute, false, handoff.ActTake, id, ann); !isOver(err) {
					t.Errorf("two take it over: %v", err)
				}
			}
			for range 2 {
				for _, root := range roots {
					mustSync(t, root)
				}
			}
			for _, root := range roots {
				life := mustOpen(t, root).Lifecycle().Of(id)
				if life.Take.Holds().Operator != holder || life.Done.Operator != done {
					t.Errorf("%s: held by %+v, done by %+v", root, life.Take.Holds(), life.Done)
				}
				if report, err := mustOpen(t, root).Verify(context.Background()); err != nil || len(report.Faults) > 0 {
					t.Error(root, err, report.Faults)
				}
			}
		})
	}
}
