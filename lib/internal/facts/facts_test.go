package facts_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

var day = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

// at returns a time of the day, in minutes.
func at(minutes float64) time.Time { return day.Add(time.Duration(minutes * float64(time.Minute))) }

func idOf(name string) string { return "sha256:" + strings.Repeat(fmt.Sprintf("%02x", name[0]), 32) }

// A store is a log in the making, and what it says.
type store struct {
	t    testing.TB
	file *os.File
	log  *log.Log
	*facts.Facts
	lines []string // ids of the events
}

func newStore(t testing.TB) *store {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), log.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	l, err := log.Open(f, log.Point{}, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return &store{t: t, file: f, log: l, Facts: facts.New()}
}

// add appends a change and returns the id of its last event.
func (s *store) add(change ...log.Pending) string {
	s.t.Helper()
	if _, err := s.log.Append(day, change); err != nil {
		s.t.Fatal(err)
	}
	s.readTo(s.Facts)
	return s.lines[len(s.lines)-1]
}

// readTo reads the log on from the point of facts.
func (s *store) readTo(f *facts.Facts) {
	s.t.Helper()
	end, err := log.Read(s.file, s.log.Head().Offset, f.At, func(change []log.Event) {
		f.Add(change)
		for _, e := range change {
			if f == s.Facts {
				s.lines = append(s.lines, e.ID())
			}
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	f.At = end
}

// doc adds a handoff that was made at the beginning of the day.
func (s *store) doc(name, from, to string, references ...string) *facts.Handoff {
	s.t.Helper()
	s.add(document(name, from, to, references...))
	return s.Of(idOf(name))
}

func document(name, from, to string, references ...string) log.Pending {
	return log.Pending{Type: log.Write, Payload: log.Payload{ID: idOf(name), From: from, To: to, Topic: "t",
		Time: "2026-11-29T00:00:00Z", File: "handoffs/" + name + ".md", References: references}}
}

// event returns a fact or turn about a handoff: who is an operator, or operator/session.
func event(kind, name, who string, minutes float64, of ...string) log.Pending {
	operator, session, _ := strings.Cut(who, "/")
	return log.Pending{Type: kind, Payload: log.Payload{ID: idOf(name), Operator: operator, Session: session,
		Time: log.Stamp(at(minutes)), Of: of}}
}

// with changes the payload of an event.
func with(e log.Pending, change func(*log.Payload)) log.Pending {
	change(&e.Payload)
	return e
}

func until(minutes float64) func(*log.Payload) {
	return func(p *log.Payload) { p.Until = log.Stamp(at(minutes)) }
}

func over(p *log.Payload) { p.Over = true }

// say returns what a view says about a handoff: its state, holder, end of the lease and readers.
func say(v facts.View, name string) string { return sayOf(v, v.Of(idOf(name))) }

func sayOf(v facts.View, h *facts.Handoff) string {
	l := v.Life(h)
	text := string(v.State(h, l))
	if l.Holder != nil {
		text += " by " + l.Holder.Operator
		if l.Holder.Session != "" {
			text += "/" + l.Holder.Session
		}
	}
	if !l.Until.IsZero() {
		text += fmt.Sprintf(" until %g", l.Until.Sub(day).Minutes())
	}
	for i, m := range l.Reads {
		text += []string{" read ", ","}[min(i, 1)] + fmt.Sprintf("%s:%g", m.Operator, m.At.Sub(day).Minutes())
	}
	return text
}

// want checks what is said at a time of the day.
func (s *store) want(minutes float64, name, want string) {
	s.t.Helper()
	if got := say(facts.View{Facts: s.Facts, Now: at(minutes)}, name); got != want {
		s.t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func TestReading(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	s.want(1, "a", "unread")
	s.add(event(log.MarkRead, "a", "zoe", 2))
	s.want(3, "a", "unread read zoe:2")
	s.add(event(log.MarkRead, "a", "ben", 4), event(log.MarkRead, "a", "ben", 6))
	s.want(7, "a", "read read zoe:2,ben:4")
	s.add(event(log.MarkUnread, "a", "ben", 5))
	s.want(7, "a", "read read zoe:2,ben:6")
	s.add(event(log.MarkUnread, "a", "ben", 7))
	s.want(8, "a", "unread read zoe:2")

	s.doc("n", "ann", facts.Next)
	s.want(1, "n", "unread")
	s.add(event(log.MarkRead, "n", "ann", 2))
	s.want(3, "n", "read read ann:2")
}

// A mark that an earlier event states counts from the time of its handoff, a later one when its time has come.
func TestStatedTimes(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	s.add(event(log.MarkRead, "a", "ben", -60*24*365*50))
	s.want(1, "a", "read read ben:0")
	s.add(event(log.MarkUnread, "a", "ben", 60*24*365*70))
	s.want(1, "a", "read read ben:0")
	take := s.add(with(event(log.Take, "a", "ben", 1), until(121)))
	s.add(event(log.Release, "a", "ben", 100, take))
	s.want(94, "a", "taken by ben until 121 read ben:0")
	s.want(95, "a", "unread")
	s.add(event(log.MarkRead, "a", "ben", 99), event(log.MarkRead, "a", "zoe", 101))
	s.want(102, "a", "unread read zoe:101")
}

func TestTaking(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	take := s.add(with(event(log.Take, "a", "ben/s1", 1), until(121)))
	s.want(2, "a", "taken by ben/s1 until 121 read ben:1")
	s.add(event(log.Take, "a", "ben/s2", 2))
	s.add(event(log.Take, "a", "ben/s2", 2, take))
	s.add(event(log.Done, "a", "ben/s2", 2, take))
	s.add(event(log.Done, "a", "ben/s1", 2)) // it names no take
	s.add(event(log.Withdraw, "a", "ann", 2))
	s.want(3, "a", "taken by ben/s1 until 121 read ben:1")

	s.add(with(event(log.Take, "a", "ben/s1", 3), until(123)))
	s.want(4, "a", "taken by ben/s1 until 123 read ben:1")
	s.add(with(event(log.Renew, "a", "ben/s1", 4, take), until(123.5))) // less than a minute
	s.add(with(event(log.Renew, "a", "ben/s1", 4, take), until(60*24*8)))
	s.add(with(event(log.Renew, "a", "ben/s2", 4, take), until(200)))
	s.add(with(event(log.Renew, "a", "ben/s1", 4), until(200)))
	s.want(5, "a", "taken by ben/s1 until 123 read ben:1")
	s.add(with(event(log.Renew, "a", "ben/s1", 5, take), until(130)))
	s.want(6, "a", "taken by ben/s1 until 130 read ben:1")

	s.add(event(log.Take, "a", "zoe", 130, take)) // the lease is not over yet
	s.want(130, "a", "taken by ben/s1 until 130 read ben:1")
	second := s.add(event(log.Take, "a", "zoe", 131, take))
	s.want(132, "a", "taken by zoe read ben:1,zoe:131")
	s.add(event(log.Done, "a", "ben/s1", 132, take))
	s.add(event(log.Release, "a", "ben/s1", 132, take))
	s.want(133, "a", "taken by zoe read ben:1,zoe:131")
	s.add(with(event(log.Take, "a", "ben/s1", 133, second), over))
	s.want(134, "a", "taken by ben/s1 read ben:1,zoe:131")
}

func TestEnds(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	take := s.add(event(log.Take, "a", "ben", 1))
	s.add(event(log.Release, "a", "zoe", 2)) // it names no take
	s.want(3, "a", "taken by ben read ben:1")
	s.add(event(log.Release, "a", "ann", 2, take))
	s.want(3, "a", "unread")
	take = s.add(event(log.Take, "a", "ben", 3))
	done := s.add(event(log.Done, "a", "ben", 4, take))
	s.want(5, "a", "done by ben read ben:3")
	s.add(event(log.Take, "a", "ben", 5))
	s.add(event(log.Reopen, "a", "ben", 5, take))
	s.add(event(log.Reopen, "a", "zoe", 5, done))
	s.want(6, "a", "done by ben read ben:3")
	s.add(event(log.Reopen, "a", "ben", 6, done))
	s.want(7, "a", "unread")
	done = s.add(event(log.Done, "a", "zoe", 7)) // nobody holds it
	s.want(8, "a", "done read zoe:7")
	s.add(with(event(log.Take, "a", "ben", 8, done), over))
	s.want(9, "a", "taken by ben read zoe:7,ben:8")

	s.doc("w", "ann", "ben")
	s.add(event(log.Withdraw, "w", "ben", 1))
	s.want(2, "w", "unread")
	withdraw := s.add(event(log.Withdraw, "w", "ann", 2))
	s.want(3, "w", "withdrawn")
	s.add(event(log.Done, "w", "ben", 3))
	s.want(4, "w", "withdrawn")
	s.add(event(log.Reopen, "w", "ann", 4, withdraw))
	s.want(5, "w", "unread")
}

func TestResumes(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	first := s.add(event(log.Resume, "a", "ben/s1", 1))
	s.add(event(log.Resume, "a", "ben/s1", 2))
	s.want(3, "a", "taken by ben/s1 read ben:1")
	s.add(event(log.Release, "a", "ben/s1", 3, first))
	s.add(event(log.Resume, "a", "ben/s2", 4)) // the token was used
	s.want(5, "a", "unread")
	s.add(event(log.Take, "a", "ben/s2", 5))
	s.want(6, "a", "taken by ben/s2 read ben:5")
}

func TestRelations(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben", "expires:2026-11-29T01:00:00Z")
	s.want(59, "a", "unread")
	s.want(60, "a", "expired")
	s.doc("x", "eve", "ben", "supersedes:"+idOf("a"))
	s.want(1, "a", "unread")
	s.doc("b", "ben", "ann", "supersedes:"+idOf("a"), "re:"+idOf("a"))
	s.add(event(log.Take, "a", "ben", 1))
	s.want(2, "a", "superseded by ben read ben:1")
	if a, b := s.Of(idOf("a")), s.Of(idOf("b")); !slices.Equal(s.Superseders(a), []*facts.Handoff{b}) ||
		!slices.Equal(s.Replies(a), []*facts.Handoff{b}) {
		t.Error("who supersedes and answers it is not known")
	}
	s.add(event(log.Archive, "a", "eve", 3))
	s.want(4, "a", "archived by ben read ben:1") // without rules everybody may
	s.add(event(log.Unarchive, "a", "ann", 5))
	s.want(6, "a", "superseded by ben read ben:1")
}

func TestRules(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	s.doc("b", "ann", "ben")
	s.add(event(log.Take, "a", "eve", 1))
	take := s.add(event(log.Take, "a", "ben", 2))
	s.add(event(log.MarkRead, "a", "eve", 3), event(log.Archive, "a", "zoe", 3))
	s.add(with(event(log.Take, "a", "zoe", 4, take), over))
	s.add(event(log.Release, "a", "zoe", 4, take))
	isKnown := func(operator string, at time.Time) bool { return operator != "eve" }
	can := func(operator, capability string, at time.Time) bool { return false }
	v := facts.View{Facts: s.Facts, Now: at(10), Rules: &facts.Rules{Knows: isKnown, Can: can}}
	if got := say(v, "a"); got != "taken by ben read ben:2" {
		t.Errorf("by the rules it is %q", got)
	}
	v.Rules.Can = func(operator, capability string, at time.Time) bool {
		return operator == "zoe" && capability == "human"
	}
	if got := say(v, "a"); got != "taken by zoe read ben:2,zoe:4" {
		t.Errorf("for a human it is %q", got)
	}
	v.Rules.Can = func(operator, capability string, at time.Time) bool { return capability == "archive" }
	if got := say(v, "a"); got != "archived by ben read ben:2" {
		t.Errorf("for an archivist it is %q", got)
	}
}

// The order of turns is that of their log, whenever they arrive.
func TestOrderOfLogs(t *testing.T) {
	s := newStore(t)
	s.doc("a", "ann", "ben")
	mine := s.add(event(log.Take, "a", "ben/s1", 1))
	s.want(2, "a", "taken by ben/s1 read ben:1")
	received := with(event(log.Take, "a", "ben/s2", 2), func(p *log.Payload) { p.Here = &log.Here{Log: "t-61"} })
	theirs := s.add(received)
	s.want(3, "a", "taken by ben/s1 read ben:1")
	read := func(turns ...string) log.Pending {
		return log.Pending{Type: log.SyncRead, Payload: log.Payload{Log: "t-61", End: "1", Turns: turns}}
	}
	s.add(read(theirs))
	s.want(3, "a", "taken by ben/s2 read ben:2")
	if !s.IsUnsent(mine) || s.IsUnsent(theirs) {
		t.Errorf("unsent are %v, %v", s.IsUnsent(mine), s.IsUnsent(theirs))
	}
	s.add(log.Pending{Type: log.SyncLost, Payload: log.Payload{Events: []string{mine}}})
	if s.IsUnsent(mine) {
		t.Errorf("a lost turn waits to be sent")
	}
	s.add(event(log.Release, "a", "ben/s2", 4, theirs))
	s.want(5, "a", "unread") // the lost one does not come back
	s.add(read(theirs, mine))
	s.want(5, "a", "unread") // it came second in its log as well

	s.add(log.Pending{Type: log.SyncBegin, Payload: log.Payload{Remote: "origin"}}, read(mine, theirs))
	s.want(5, "a", "taken by ben/s1 read ben:1")
	if s.Sync.Remote != "origin" || s.Sync.Logs["t-61"].End != "1" {
		t.Errorf("the exchange is at %+v", s.Sync)
	}
}

func TestStoreEvents(t *testing.T) {
	s := newStore(t)
	s.add(log.Pending{Type: log.Begin, Payload: log.Payload{Fingerprint: "f1", Writer: "w-1"}})
	s.doc("a", "ann", "ben")
	s.add(event(log.Take, "a", "ben", 1))
	s.add(log.Pending{Type: log.Prune, Payload: log.Payload{Removed: []string{idOf("a"), idOf("?")}}})
	if len(s.All()) != 0 || !s.Of(idOf("a")).Pruned {
		t.Error("a pruned handoff is listed")
	}
	again := document("a", "ann", "ben")
	again.Payload.File = "handoffs/a-2.md"
	s.add(again)
	s.want(2, "a", "taken by ben read ben:1")
	s.add(log.Pending{Type: log.Repair, Payload: log.Payload{Lost: []string{idOf("a")}}})
	if h := s.Of(idOf("a")); !h.Lost || h.File != "a-2.md" || h.Pruned {
		t.Errorf("after a loss it is %+v", h)
	}
	s.add(log.Pending{Type: log.Regenerate, Payload: log.Payload{Fingerprint: "f2", Also: []string{"f1"}}},
		log.Pending{Type: log.Trust, Payload: log.Payload{Rules: &log.Rules{Operators: []byte(`{"operators":[]}`), Verify: true}}})
	if s.Writer != "w-1" || !s.Rules.Verify {
		t.Errorf("the store is %+v", s.Facts)
	}
}

// An event made now has an effect, whatever came before it.
func TestTimeFor(t *testing.T) {
	s := newStore(t)
	h := s.doc("a", "ann", "ben")
	v := facts.View{Facts: s.Facts, Now: at(-3)} // this clock is behind
	kinds := []string{log.MarkRead, log.MarkUnread, log.Archive, log.Unarchive}
	for i, want := range []bool{true, false, true, false, true, false, true, false} {
		kind := kinds[i%4]
		e := event(kind, "a", "ben", 0)
		e.Payload.Time = log.Stamp(v.TimeFor(h, v.Life(h), kind, "ben"))
		s.add(e)
		l := v.Life(h)
		if got := l.IsReadBy("ben"); kind == log.MarkRead || kind == log.MarkUnread {
			if got != want {
				t.Errorf("after %s: read %v", kind, got)
			}
		} else if l.IsArchived != want {
			t.Errorf("after %s: archived %v", kind, l.IsArchived)
		}
	}
}

// random adds random changes to a store.
func (s *store) random(r *rand.Rand, changes int) {
	names := "abcdef"
	who := []string{"ann", "ben/s1", "ben/s2", "zoe"}
	turns := []string{log.Take, log.Take, log.Renew, log.Release, log.Done, log.Reopen, log.Withdraw, log.Resume}
	notes := []string{log.MarkRead, log.MarkRead, log.MarkUnread, log.Archive, log.Unarchive}
	for i := range changes {
		name, by, minutes := names[r.IntN(len(names)):][:1], who[r.IntN(len(who))], float64(i)
		if r.IntN(10) == 0 {
			minutes += float64(r.IntN(30))
		}
		h := s.Of(idOf(name))
		v := facts.View{Facts: s.Facts, Now: at(float64(i))}
		switch n := r.IntN(20); {
		case h == nil || n == 0:
			var references []string
			if r.IntN(4) == 0 {
				references = append(references, "supersedes:"+idOf(names[r.IntN(len(names)):][:1]))
			}
			e := document(name, "ann", []string{"ben", facts.Next}[r.IntN(2)], references...)
			e.Payload.Again = h != nil
			s.add(e)
		case n == 1:
			s.add(log.Pending{Type: log.Prune, Payload: log.Payload{Removed: []string{h.ID}}})
		case n == 2 && i%5 == 0:
			s.add(log.Pending{Type: log.SyncBegin, Payload: log.Payload{Remote: "origin", Missing: []string{h.ID}}})
		case n <= 4 && len(s.lines) > 0:
			s.add(log.Pending{Type: log.SyncRead, Payload: log.Payload{Log: "t-61", End: fmt.Sprint(i),
				Through: s.At.String(), Turns: []string{s.lines[r.IntN(len(s.lines))], fmt.Sprint("away", i)}}})
		case n == 5:
			if n := len(s.lines); n > 0 && s.IsUnsent(s.lines[n-1]) {
				s.add(log.Pending{Type: log.SyncLost, Payload: log.Payload{Events: []string{s.lines[n-1]}}})
			}
		case n <= 9:
			s.add(event(notes[r.IntN(len(notes))], name, by, minutes))
		default:
			var of []string
			if last := v.Life(h).Last(); last != nil && r.IntN(4) > 0 {
				of = []string{last.ID}
			}
			e := with(event(turns[r.IntN(len(turns))], name, by, minutes, of...), func(p *log.Payload) {
				p.Over = r.IntN(6) == 0
				if r.IntN(2) == 0 {
					p.Until = log.Stamp(at(minutes + float64(r.IntN(20))))
				}
			})
			s.add(e, event(log.Surface, name, by, minutes))
		}
	}
}

// sayAll returns what a view says about all handoffs.
func sayAll(v facts.View) map[string]string {
	all := map[string]string{}
	for _, h := range v.All() {
		all[h.File] = fmt.Sprint(h.Order, " ", sayOf(v, h), " ", h.Lost, v.Superseders(h) != nil)
	}
	return all
}

// A snapshot and the log behind it say what the whole log says. Without the closed handoffs they say it of those that
// need work, or that they lack something.
func TestSnapshots(t *testing.T) {
	whole := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newStore(t)
		s.random(r, 20+r.IntN(60))
		open, closed := facts.View{Facts: s.Facts, Now: at(100)}.Snapshot()
		s.random(r, r.IntN(12))
		v := facts.View{Facts: s.Facts, Now: at(130)}
		want := sayAll(v)

		restored, err := facts.Restore(open, closed)
		if err != nil {
			t.Fatal(err)
		}
		s.readTo(restored)
		if diff := cmp.Diff(want, sayAll(facts.View{Facts: restored, Now: v.Now})); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if diff := cmp.Diff(s.Sync, restored.Sync); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}

		part, err := facts.Restore(open, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.readTo(part)
		if !part.IsWhole() {
			continue
		}
		whole++
		got := sayAll(facts.View{Facts: part, Now: v.Now})
		for file, text := range want {
			needsWork := strings.Contains(text, " unread") || strings.Contains(text, " taken")
			if needsWork && got[file] != text || !needsWork && got[file] != "" && got[file] != text {
				t.Fatalf("seed %d: without the closed ones %s is %q, want %q", seed, file, got[file], text)
			}
		}
	}
	if whole < 5 {
		t.Errorf("only %d of the snapshots were enough without their closed half", whole)
	}
}

// A damaged snapshot is none.
func TestDamagedSnapshots(t *testing.T) {
	s := newStore(t)
	s.random(rand.New(rand.NewPCG(1, 2)), 30)
	v := facts.View{Facts: s.Facts, Now: at(100)}
	open, closed := v.Snapshot()
	for i := range open {
		flipped := slices.Clone(open)
		flipped[i] ^= 1 << (i % 8)
		if _, err := facts.Restore(flipped, closed); err == nil {
			t.Fatalf("byte %d is flipped, and nobody notices", i)
		}
	}
	for size := range open {
		if _, err := facts.Restore(open[:size], closed); err == nil {
			t.Fatalf("%d bytes of a snapshot are one", size)
		}
	}
	s.random(rand.New(rand.NewPCG(3, 4)), 5)
	newer, _ := v.Snapshot()
	if _, err := facts.Restore(newer, closed); err == nil {
		t.Error("halves of two snapshots are one")
	}
}

// Whatever stands in a snapshot with the right checksum, nothing panics.
func FuzzRestore(f *testing.F) {
	s := newStore(f)
	s.random(rand.New(rand.NewPCG(1, 2)), 30)
	open, closed := facts.View{Facts: s.Facts, Now: at(100)}.Snapshot()
	f.Add(open[4:])
	f.Add(closed[4:])
	f.Fuzz(func(t *testing.T, text []byte) {
		file := facts.Sealed(text)
		if restored, err := facts.Restore(file, file); err == nil {
			sayAll(facts.View{Facts: restored, Now: at(1)})
		}
		_, _ = facts.Restore(file, nil)
	})
}
