package handoff_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// A clock is the time of a store in minutes after its first one.
type clock struct{ minutes int }

func (c *clock) now() time.Time {
	return time.Date(2026, 5, 8, 9, c.minutes, 0, 0, time.UTC)
}

// saying returns what an action led to: the status and state, or the refusal with who holds the handoff.
func saying(status string, state handoff.State, err error) string {
	taken, invalid := (*handoff.TakenError)(nil), (*handoff.Error)(nil)
	switch {
	case errors.As(err, &taken):
		return strings.TrimSpace(taken.Ended+" by "+taken.By.Operator) + strings.TrimRight("/"+taken.By.Session, "/")
	case errors.Is(err, handoff.ErrDenied):
		return "denied"
	case errors.As(err, &invalid):
		return "refused: " + invalid.Advice
	case err != nil:
		return err.Error()
	}
	return strings.TrimSpace(status + " " + string(state))
}

// do does one action, of an operator or operator/session. With a question mark it is refused if it is probably not
// meant.
func do(t *testing.T, s *handoff.Store, by, what, id string) string {
	t.Helper()
	operator, session, _ := strings.Cut(by, "/")
	mark := map[string]func() ([]handoff.MarkReceipt, error){
		"read":   func() ([]handoff.MarkReceipt, error) { return s.MarkRead(t.Context(), operator, id) },
		"unread": func() ([]handoff.MarkReceipt, error) { return s.MarkUnread(t.Context(), operator, id) },
	}[what]
	if mark != nil {
		got, err := mark()
		if err != nil {
			return err.Error()
		}
		return got[0].Status
	}
	if what == "resume" {
		got, err := s.Records().Resume(t.Context(), id, handoff.Who{Operator: operator, Session: session})
		if used := (*handoff.TakenError)(nil); errors.As(err, &used) && used.Ended == "resumed" {
			return "used by " + used.By.Operator + "/" + used.By.Session
		}
		return saying(got.Status, got.State, err)
	}
	what, hasDoubts := strings.CutSuffix(what, "?")
	who := handoff.Who{Operator: operator, Session: session, ForOther: !hasDoubts, Anyway: !hasDoubts}
	got, err := s.Act(t.Context(), handoff.Act(what), id, who)
	return saying(got.Status, got.State, err)
}

// Each line is: minutes, who, what, and what that leads to. Each story is about a handoff from ann to ben.
var stories = map[string]string{
	"taken once": `
		0 ben take -> changed taken
		0 ben take -> existing taken
		1 cy take -> by ben
		1 cy done -> by ben
		1 ben done -> changed done
		2 ben done -> existing done
		2 cy take -> finished by ben
		2 cy reopen -> finished by ben
		3 ann reopen -> changed unread
		3 ann reopen -> existing unread
		4 cy take -> changed taken`,
	"done without a take": `
		0 ben done -> changed done
		1 ben reopen -> changed unread`,
	"released is unread again": `
		0 ben read -> changed
		1 ben/s1 take -> changed taken
		2 ben/s2 release -> by ben/s1
		2 cy release -> by ben/s1
		2 ann/s3 release -> changed unread
		2 ben release -> existing unread
		2 ben/s1 take -> changed taken
		2 ben release -> changed unread
		3 ben read -> changed
		3 ben read -> existing
		4 ben unread -> changed
		4 ben unread -> existing`,
	"a lease lapses": `
		0 ben/s1 take -> changed taken
		60 ben/s2 take -> by ben/s1
		120 cy/s3 take -> by ben/s1
		121 cy/s3 take -> changed taken
		122 ben/s1 done -> by cy/s3
		122 ben/s1 take -> by cy/s3
		123 cy/s3 done -> changed done`,
	"its holder takes it again after the lapse": `
		0 ben/s1 take -> changed taken
		130 ben/s1 take -> changed taken
		140 cy take -> by ben/s1`,
	"a person's take has no end": `
		0 ben take -> changed taken
		9999 cy take -> by ben`,
	"stolen": `
		0 ben take -> changed taken
		1 cy steal -> changed taken
		2 ben done -> by cy
		2 ben release -> by cy
		2 cy release -> changed unread`,
	"stolen after done": `
		0 ben done -> changed done
		1 cy steal -> changed taken`,
	"withdrawn": `
		0 cy withdraw -> denied
		0 ann withdraw -> changed withdrawn
		0 ann withdraw -> existing withdrawn
		1 ben take -> withdrew by ann
		2 ben reopen -> withdrew by ann
		2 ben take? -> refused: run handoff take for another one
		2 ann reopen -> changed unread`,
	"not withdrawn after a read": `
		0 ben read -> changed
		1 ann withdraw -> refused: replace it: handoff write FILE --supersedes ID`,
	"withdrawn after others have read it": `
		0 cy read -> changed
		1 ann withdraw -> changed withdrawn`,
	"not withdrawn after a take": `
		0 ben take -> changed taken
		1 ann withdraw -> refused: replace it: handoff write FILE --supersedes ID
		2 ben release -> changed unread
		3 ann withdraw -> refused: replace it: handoff write FILE --supersedes ID`,
	"not withdrawn when done": `
		0 ben done -> changed done
		1 ann withdraw -> refused: replace it: handoff write FILE --supersedes ID`,
	"archived": `
		0 cy archive -> denied
		0 ben archive -> changed archived
		1 ann archive -> existing archived
		2 ann unarchive -> changed unread
		3 ben take -> changed taken
		4 ann archive -> refused: run handoff take --undo ID first`,
	"to another": `
		0 cy take? -> refused: if you mean it: handoff take --for-other ID
		0 cy done? -> refused: if you mean it: handoff done --for-other ID
		0 ann done? -> refused: to take it back: handoff write --undo ID
		0 ann take? -> refused: if you mean it: handoff take --for-other ID
		1 cy take -> changed taken
		2 ann done? -> by cy
		2 ben/s1 take? -> by cy
		2 cy take? -> existing taken
		2 cy done? -> changed done
		2 cy done? -> existing done`,
	"archived is not taken": `
		0 ben archive -> changed archived
		1 ben take? -> refused: run handoff archive --undo ID, or handoff take --anyway ID
		1 ben take -> changed archived
		2 ben take? -> existing archived`,
	"resumed once": `
		0 ben/s1 resume -> changed taken
		1 ben/s1 resume -> existing taken
		2 ben/s2 resume -> by ben/s1
		2 cy/s3 resume -> used by ben/s1
		3 ben/s1 release -> changed unread
		4 ben/s2 resume -> used by ben/s1
		5 cy take -> changed taken`,
}

func TestActions(t *testing.T) {
	t.Parallel()
	c := &clock{}
	s := open(t, t.TempDir(), func(o *handoff.Options) { o.Now = c.now })
	for base, name := range slices.Sorted(maps.Keys(stories)) {
		base *= 10_000 // each story is later than the one before
		c.minutes = base
		id, story := mustWrite(t, s, source("story", name)).ID, stories[name]
		for line := range strings.Lines(strings.TrimSpace(story)) {
			step, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
			var who, what string
			if _, err := fmt.Sscan(step, &c.minutes, &who, &what); err != nil {
				t.Fatal(err)
			}
			c.minutes += base
			got := do(t, s, who, what, id)
			got = strings.NewReplacer("`", "", id[len("sha256:"):][:8], "ID").Replace(got)
			if got != want {
				t.Errorf("%s: %s: %s, want %s", name, step, got, want)
			}
		}
	}
	if report, err := s.Verify(t.Context()); err != nil || len(report.Faults)+len(report.Warnings) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// The receipt of what was done before says who did it, and when.
func TestExistingReceipts(t *testing.T) {
	t.Parallel()
	c := &clock{}
	s := open(t, t.TempDir(), func(o *handoff.Options) { o.Now = c.now })
	ids := mustWriteAll(t, s, handoff.Source{Text: source("one", "")}, handoff.Source{Text: source("two", "")})
	act := func(act handoff.Act, id string, who handoff.Who) handoff.ActReceipt {
		t.Helper()
		got, err := s.Act(t.Context(), act, id, who)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := act(handoff.ActTake, ids[0], handoff.Who{Operator: "ben", Session: "s1"})
	archived := act(handoff.ActArchive, ids[1], handoff.Who{Operator: "ben"})
	if first.Until != "2026-05-08T11:00:00Z" {
		t.Errorf("%+v", first)
	}
	c.minutes = 5
	again := act(handoff.ActTake, ids[0], handoff.Who{Operator: "ben", Session: "s1"})
	if again.Status = handoff.StatusChanged; again.Time != first.Time || again.Until != first.Until {
		t.Errorf("%+v, first %+v", again, first)
	}
	longer := act(handoff.ActTake, ids[0], handoff.Who{Operator: "ben", Session: "s1", For: 3 * time.Hour})
	if longer.Status != handoff.StatusChanged || longer.Until != "2026-05-08T12:05:00Z" {
		t.Errorf("%+v", longer)
	}
	if got := act(handoff.ActArchive, ids[1], handoff.Who{Operator: "ann"}); got.Operator != "ben" || got.Time != archived.Time {
		t.Errorf("%+v, first %+v", got, archived)
	}
	endless := act(handoff.ActSteal, ids[0], handoff.Who{Operator: "ben"})
	if endless.Until != "" || endless.Act != handoff.ActTake {
		t.Errorf("%+v", endless)
	}
	if got := act(handoff.ActTake, ids[0], handoff.Who{Operator: "ben", For: time.Hour}); got.Until != "" {
		t.Errorf("a shorter take of what is held without an end: %+v", got)
	}
}

// What a session writes renews the lease of what it holds, once a quarter of the lease has passed.
func TestWritingRenews(t *testing.T) {
	t.Parallel()
	c := &clock{}
	s := open(t, t.TempDir(), func(o *handoff.Options) {
		o.Now, o.Reader = c.now, func() handoff.Who { return handoff.Who{Session: "s1"} }
	})
	id := mustWrite(t, s, source("one", "")).ID
	do(t, s, "ann/s1", "take", id)
	for _, step := range []struct {
		minutes int
		until   string
	}{{20, "2026-05-08T11:00:00Z"}, {100, "2026-05-08T12:40:00Z"}} {
		c.minutes = step.minutes
		mustWrite(t, s, source("two", fmt.Sprint(step.minutes)))
		if held := s.Lifecycle().Holdings("ann"); len(held) != 1 || held[0].Take.Until != step.until {
			t.Errorf("after %d minutes: %+v", step.minutes, held)
		}
	}
}

// Of several ids those that can be had are had. None is, if one does not exist.
func TestSeveralIDs(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	var sources []handoff.Source
	for i := range 3 {
		sources = append(sources, handoff.Source{Text: source("one", fmt.Sprint(i))})
	}
	ids := mustWriteAll(t, s, sources...)
	do(t, s, "cy", "take", ids[1])
	take := func(ids ...string) (got []string, err error) {
		err = s.Lifecycle().ActAll(t.Context(), handoff.ActTake, ids, handoff.Who{Operator: "ben"},
			func(r handoff.ActReceipt) error {
				got = append(got, r.ID)
				return nil
			})
		return got, err
	}
	unknown := "sha256:" + strings.Repeat("0", 64)
	if got, err := take(ids[0], unknown); !errors.Is(err, handoff.ErrInvalid) || got != nil {
		t.Errorf("with an unknown id: %v, %v", got, err)
	}
	got, err := take(ids[0], ids[1], ids[0], ids[2])
	if taken := (*handoff.TakenError)(nil); !errors.As(err, &taken) || taken.ID != ids[1] || taken.By.Operator != "cy" {
		t.Errorf("%v", err)
	}
	if want := []string{ids[0], ids[2]}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
	if lines := strings.Count(string(read(t, logOf(s))), "handoff.take"); lines != 3 {
		t.Errorf("the log has %d takes", lines)
	}
}

// Of those who take the same handoff one succeeds, and each of those who take the next one gets another.
func TestOneTaker(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	const count = 8
	for i := range count {
		mustWrite(t, s, source("one", fmt.Sprint(i)))
	}
	id := mustWrite(t, s, source("all", "")).ID
	for name, act := range map[string]func(*handoff.Store, handoff.Who) (handoff.ActReceipt, error){
		"take": func(s *handoff.Store, who handoff.Who) (handoff.ActReceipt, error) {
			return s.Act(t.Context(), handoff.ActTake, id, who)
		},
		"resume": func(s *handoff.Store, who handoff.Who) (handoff.ActReceipt, error) {
			return s.Records().Resume(t.Context(), id, who)
		},
	} {
		do(t, s, "ann", "release", id)
		var winners atomic.Int32
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() {
				_, err := act(open(t, root, nil), handoff.Who{Operator: "ben", Session: fmt.Sprint("s", i)})
				if err == nil {
					winners.Add(1)
				} else if !errors.As(err, new(*handoff.TakenError)) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if all.Wait(); winners.Load() != 1 {
			t.Errorf("%s: %d winners", name, winners.Load())
		}
	}
	do(t, s, "ben", "done", id)
	do(t, s, "ann", "archive", id)
	var had sync.Map
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			who := handoff.Who{Operator: "ben", Session: fmt.Sprint("n", i)}
			got, ok, err := open(t, root, nil).Lifecycle().TakeNext(t.Context(), who)
			if err != nil || !ok {
				t.Errorf("%v, %v", ok, err)
			}
			if other, isThere := had.LoadOrStore(got.ID, i); isThere {
				t.Errorf("%d and %v took %s", i, other, got.ID)
			}
		})
	}
	all.Wait()
	_, ok, err := s.Lifecycle().TakeNext(t.Context(),
		handoff.Who{Operator: "ben", Session: "late"})
	if ok || err != nil {
		t.Errorf("one more: %v, %v", ok, err)
	}
}

// What a session holds is free for the same operator, once the session's process is gone.
func TestDeadSession(t *testing.T) {
	t.Parallel()
	for _, hasSynced := range []bool{false, true} {
		var state string
		m := remotetest.NewMemory()
		s := open(t, t.TempDir(), func(o *handoff.Options) {
			state = o.UserState
			o.Remote = func(*handoff.Store) (remote.Remote, string, error) { return m, "origin", nil }
		})
		id := mustWrite(t, s, source("one", "")).ID
		if hasSynced {
			if _, err := s.Sync(t.Context(), handoff.SyncOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		checkDeadSession(t, s, state, id)
	}
}

func checkDeadSession(t *testing.T, s *handoff.Store, state, id string) {
	t.Helper()
	do(t, s, "ben/s1", "take", id)
	gone := strings.Replace(disk.Process(1), "@", "@1", 1)
	for _, step := range []struct{ note, process, who, want string }{
		{"unknown", "", "ben/s2", "by ben/s1"},
		{"alive", disk.Process(1), "ben/s2", "by ben/s1"},
		{"of another process space", gone + "1", "ben/s2", "by ben/s1"},
		{"gone, another operator", gone, "cy/s3", "by ben/s1"},
		{"gone, same operator", gone, "ben/s2", "changed taken"},
		{"the former holder", "", "ben/s1", "by ben/s2"},
	} {
		if n := memory.Read(state, "s1"); step.process != "" {
			n.Process = step.process
			if err := n.Write(); err != nil {
				t.Fatal(err)
			}
		}
		if got := do(t, s, step.who, "take", id); got != step.want {
			t.Errorf("%s: %s, want %s", step.note, got, step.want)
		}
	}
	_, events, err := s.History(id)
	var what []string
	for _, e := range events {
		what = append(what, strings.TrimSpace(e.What+" "+e.Session+" "+e.Note))
	}
	if want := []string{"taken s1", "released s1 session ended", "taken s2"}; err != nil || !slices.Equal(what[1:], want) {
		t.Errorf("%q, %v", what, err)
	}
}

// Hooks renew leases once a quarter has passed.
func TestRenew(t *testing.T) {
	t.Parallel()
	c := &clock{}
	s := open(t, t.TempDir(), func(o *handoff.Options) { o.Now = c.now })
	id := mustWrite(t, s, source("one", "")).ID
	do(t, s, "ben/s1", "take", id)
	for _, step := range []struct{ at, next, until int }{{10, 30, 120}, {30, 60, 150}, {31, 60, 150}, {100, 130, 220}} {
		c.minutes = step.at
		next, err := s.Lifecycle().Renew(t.Context(), "ben", "s1")
		held := s.Lifecycle().Holdings("ben")
		at := func(minutes int) string { return (&clock{minutes}).now().Format(time.RFC3339) }
		if err != nil || len(held) != 1 || next.Format(time.RFC3339) != at(step.next) || held[0].Take.Until != at(step.until) {
			t.Errorf("%+v: next %v, %+v, %v", step, next, held, err)
		}
	}
	if next, err := s.Lifecycle().Renew(t.Context(), "ben", "s2"); err != nil || !next.IsZero() {
		t.Errorf("of another session: %v, %v", next, err)
	}
}

// Handoffs to whoever works next are unread for everybody until somebody reads one.
func TestNext(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	id := mustWriteAll(t, s, lifeSource("ann", handoff.Next, "all"), lifeSource("ann", "ben", "mine"))[0]
	for _, step := range []struct{ who, what, unread string }{
		{"cy", "", "all"}, {"ben", "", "all mine"}, {"ann", "", "all"}, {"ann", "take", ""}, {"ann", "release", "all"},
		{"cy", "read", ""}, {"cy", "unread", "all"},
	} {
		if step.what != "" {
			do(t, s, step.who, step.what, id)
		}
		if got := strings.Join(topics(t, s, handoff.Filter{To: step.who, Unread: true}), " "); got != step.unread {
			t.Errorf("%+v: %s", step, got)
		}
	}
}
