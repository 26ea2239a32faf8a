package exchange_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A clone whose clock is ahead, or that lies about it, takes back no read mark that somebody makes before that time.
func TestMarksTakenBackInTheFuture(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	for range 2 {
		for _, root := range roots {
			mustSync(t, root)
		}
	}
	ahead := options(roots[1])
	ahead.Now = func() time.Time { return time.Now().AddDate(100, 0, 0) }
	s, err := handoff.Open(ahead)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mustOpen(t, roots[1]).MarkRead(t.Context(), "ben", id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.MarkUnread(t.Context(), "ben", id); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[1])
	mustSync(t, roots[0])
	if _, err := mustOpen(t, roots[0]).MarkRead(t.Context(), "ben", id); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	if marks := marksOf(t, roots[0])[id]; marks["ben"] == "" || marks["ben"] > time.Now().UTC().Format(time.RFC3339) {
		t.Errorf("ben has read it here, now: %v", marks)
	}
}

// Who has neither ended a handoff nor sent it opens it again in no clone, whatever the remote has.
func TestReopenedByAStranger(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 2)
	if err := resume(roots[0], "ben", id, "done"); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[1])
	forged := handoff.Consumption{Token: handoff.ActReopen.Key(id, 0), HandoffID: id, Operator: "eve", Time: time.Now().UTC().Format(time.RFC3339)}
	o := options(roots[1])
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, n, err := s.Exchange().TakeOver(context.Background(), false, handoff.Received{Acts: []handoff.Consumption{forged}}); err != nil || n != 0 {
		t.Errorf("a bundle has brought %d lines, %v", n, err)
	}
	if life := s.Lifecycle().Of(id); !life.Done.IsDone() {
		t.Errorf("it is open again: %+v", life)
	}
}

// A release also counts if its clone was killed after the claim: all clones learn of it by sync, and the handoff waits
// for its recipient again. Read marks that are older do not count any more, and later ones do.
func TestReleaseKilledAfterTheClaim(t *testing.T) {
	t.Parallel()
	_, roots, id := shared(t, 3)
	if err := resume(roots[0], "ben", id, "take"); err != nil {
		t.Fatal(err)
	}
	mustSync(t, roots[0])
	mustSync(t, roots[1])
	later := func(seconds int) func(*handoff.Options) { // marks have seconds
		return func(o *handoff.Options) {
			o.Now = func() time.Time { return time.Now().Add(time.Duration(seconds) * time.Second) }
		}
	}
	if err := resume(roots[0], "ben", id, "killed-release", later(1)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	agree := func(isRead bool) {
		t.Helper()
		for range 2 {
			for _, root := range roots {
				mustSync(t, root)
			}
		}
		for _, root := range roots {
			if mark := marksOf(t, root)[id]["ben"]; (mark != "") != isRead {
				t.Errorf("%s: ben has read it at %q", root, mark)
			}
			if report, err := mustOpen(t, root).Verify(t.Context()); err != nil || len(report.Faults) > 0 {
				t.Error(root, err, report.Faults)
			}
			if life := mustOpen(t, root).Lifecycle().Of(id); life.Take.Holds().IsDone() {
				t.Errorf("%s: it is held: %+v", root, life)
			}
		}
	}
	agree(false)
	o := options(roots[2])
	later(2)(&o)
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.MarkRead(t.Context(), "ben", id); err != nil {
		t.Fatal(err)
	}
	agree(true)
}

// What another clone gives back or opens again waits for its recipient as soon as his own clone hears of it, even if
// the other clone did not know his read mark.
func TestWaitsAgainElsewhere(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"ann", "ben"} {
		for did, undo := range map[handoff.Act]handoff.Act{
			handoff.ActTake: handoff.ActRelease, handoff.ActDone: handoff.ActReopen} {
			t.Run(by+" "+string(undo), func(t *testing.T) {
				t.Parallel()
				_, roots, id := shared(t, 3)
				waits := func(root string) {
					t.Helper()
					entries, err := mustOpen(t, root).List(handoff.Filter{To: "ben", Unread: true})
					if err != nil || len(entries) != 1 {
						t.Errorf("%s: %v %v %v", root, entries, err, marksOf(t, root))
					}
				}
				if err := actAt(roots[0], 0, false, did, id, handoff.Consumption{Operator: "ben"}); err != nil {
					t.Fatal(err)
				}
				if err := actAt(roots[1], 0, false, undo, id, handoff.Consumption{Operator: by}); err != nil {
					t.Fatal(err)
				}
				mustSync(t, roots[0])
				waits(roots[0])
				mustSync(t, roots[2])
				waits(roots[2])
				for range 2 {
					for _, root := range roots {
						mustSync(t, root)
						waits(root)
					}
				}
				for _, root := range roots {
					if report, err := mustOpen(t, root).Verify(t.Context()); err != nil || len(report.Faults) > 0 {
						t.Error(root, err, report.Faults)
					}
				}
			})
		}
	}
}
