package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Filter chooses entries. Its zero value chooses all.
type Filter struct {
	To, From, Topic, Tag string
	Since                time.Time // ts_utc is not before it
	Unread               bool      // in StateUnread: unread by To, or by their recipient if To is ""
	All                  bool      // with Unread, also those that are taken or closed
	Present              bool      // not archived or withdrawn
	State                State     // "" means any
	Open                 bool      // not closed
	Newest               int       // only the newest n by their arrival; 0 means all
}

func (f Filter) matches(e Entry) bool {
	return (f.To == "" || e.IsTo(f.To)) && (f.From == "" || e.From == f.From) &&
		(f.Topic == "" || e.Topic == f.Topic) && (f.Tag == "" || slices.Contains(e.Tags, f.Tag)) &&
		(f.Since.IsZero() || !isBefore(e.Time, f.Since)) &&
		(!f.Unread || e.UnreadBy(f.To))
}

// needsAll reports whether handoffs that need no more work can fit.
func (f Filter) needsAll() bool { return !f.Unread && f.State != StateTaken && f.State != StateUnread }

// check returns ErrInvalid for a name that no handoff can have.
func (f Filter) check() error {
	for _, operator := range []string{f.To, f.From} {
		if err := CheckOperator(operator); err != nil && operator != "" {
			return err
		}
	}
	for _, n := range []struct {
		what, name string
		most       int
	}{
		{"topic", f.Topic, document.MaxTopic}, {"tag", f.Tag, document.MaxTag},
	} {
		if n.name != "" && !form.IsSlug(n.name, n.most) {
			return fault.Invalid(fmt.Sprintf("use 1 to %d ASCII letters, digits, _ and -", n.most),
				"%q is not a valid %s", n.name, n.what)
		}
	}
	return checkState(f.State)
}

func checkState(state State) error {
	if state == "" || slices.Contains(facts.States, state) {
		return nil
	}
	var known []string
	for _, s := range facts.States {
		known = append(known, string(s))
	}
	return fault.Invalid("use one of "+strings.Join(known, ", "), "unknown state %q", state)
}

func isBefore(ts string, t time.Time) bool {
	at, ok := form.Instant(ts)
	return !ok || at.Before(t)
}

// List returns the entries that the filter chooses, in the order of their arrival. It takes no lock. A store that does
// not exist has no entries. A name in the filter that no handoff can have is ErrInvalid.
func (s *Store) List(f Filter) ([]Entry, error) {
	in, err := s.Chosen(f)
	return in.Newest, err
}

// An Inbox has the handoffs that a filter chooses.
type Inbox struct {
	Newest  []Entry       // in the order of their arrival, those of Waiting in that of their times
	Over    map[State]int // how many were left out because they are taken or closed, by state
	Missing int           // how many have no file; 0 if only those that need work were looked at

	IsSynced bool // the store has a remote, which may have those that are missing
	IsNew    bool // nothing has happened in the store

	WhyUnknown string // set by Waiting: why its operator is probably a typo, or ""
}

// Count returns the number of handoffs.
func (in Inbox) Count() int { return len(in.Newest) }

// For returns the number of handoffs by recipient.
func (in Inbox) For() map[string]int {
	all := map[string]int{}
	for _, e := range in.Newest {
		all[e.To]++
	}
	return all
}

// Left counts the closed handoffs that were left out, such as "1 taken, 2 superseded". It returns "" if there are
// none.
func (in Inbox) Left() string {
	var parts []string
	for _, state := range []State{StateTaken, StateSuperseded, StateExpired, StateArchived, StateWithdrawn} {
		if n := in.Over[state]; n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", state))
		}
	}
	return strings.Join(parts, ", ")
}

// Chosen is like List, but also counts what was left out, by state.
func (s *Store) Chosen(f Filter) (in Inbox, err error) {
	if err := f.check(); err != nil {
		return in, err
	}
	look, err := s.look(!f.needsAll())
	if err != nil {
		return in, err
	}
	in = Inbox{Over: map[State]int{}, Missing: len(look.Missing),
		IsSynced: look.Sync.Remote != "", IsNew: look.At == log.Start}
	in.Newest = entries(look, func(e Entry) bool {
		at := e.State
		if !f.matches(e) {
			return false
		}
		if f.Present && (at == StateArchived || at == StateWithdrawn) || f.Unread && !f.All && leavesUnread(at) {
			in.Over[at]++
			return false
		}
		return (f.State == "" || at == f.State) && !(f.Open && at.IsClosed())
	})
	if f.Newest > 0 {
		in.Newest = in.Newest[max(0, in.Count()-f.Newest):]
	}
	return in, nil
}

// Waiting returns the unread handoffs of an operator that are not older than maxAgeDays; 0 means no limit. If nothing
// is unread for the operator alone, it also reports whether the name is probably a typo.
func (s *Store) Waiting(operator string, maxAgeDays int) (in Inbox, err error) {
	f := Filter{To: operator, Unread: true}
	if maxAgeDays > 0 {
		f.Since = s.opt.Now().AddDate(0, 0, -maxAgeDays)
	}
	if in, err = s.Chosen(f); err != nil {
		return Inbox{}, err
	}
	slices.SortStableFunc(in.Newest, func(a, b Entry) int { return compareTimes(a.Time, b.Time) })
	if operator != "" && in.For()[operator] == 0 {
		if why, sure := s.Registry().WhyUnknown(operator); sure {
			in.WhyUnknown = why
		}
	}
	return in, nil
}

// leavesUnread reports whether a handoff in this state waits for nobody, although its recipient has not read it.
func leavesUnread(state State) bool { return state != StateUnread && state != StateRead }

// NewestFirst sorts entries by ts_utc, newest first. Of equal times the later arrival comes first.
func NewestFirst(entries []Entry) []Entry {
	sorted := slices.Clone(entries)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return compareTimes(b.Time, a.Time) })
	return sorted
}

// Next returns the handoff that who is to work on next: the oldest that is unread and to them, or to Next, then the
// oldest that they have read and that has no holder, or whose holder has ended. ok is false if there is none. skip has
// ids to leave out.
func (s *Store) Next(who Who, skip map[string]bool) (e Entry, ok bool, err error) {
	if err := checkWho(who); err != nil {
		return e, false, err
	}
	for _, part := range []bool{true, false} { // the unread ones are in a part of the store
		look, err := s.look(part)
		if err != nil {
			return e, false, err
		}
		best := 0
		for _, found := range entries(look, func(e Entry) bool { return !skip[e.ID] && e.IsTo(who.Operator) }) {
			rank := s.rank(look.Now, found, who)
			if rank == 0 {
				continue
			}
			if c := cmp.Compare(rank, best); best == 0 || c < 0 || c == 0 && compareTimes(found.Time, e.Time) < 0 {
				e, best = found, rank
			}
		}
		if best == 1 || best > 0 && !part {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}

// rank returns when a handoff is offered, from 1, or 0 for never.
func (s *Store) rank(now time.Time, e Entry, who Who) int {
	l := e.life
	switch {
	case e.State.IsClosed():
	case e.State == StateUnread:
		return 1
	case e.State == StateRead, l.IsOver(now),
		l.Holder.Operator == who.Operator && l.Holder.Session != who.Session && s.hasDied(l.Holder.Session):
		return 2
	}
	return 0
}

// Reply returns a document without a body that answers a handoff. It goes from the recipient to the sender. If me is
// the sender, it goes to the recipient again. The recipient of a handoff to Next is me.
func Reply(e Entry, me string) Document {
	from, to := e.To, e.From
	switch {
	case me == e.From:
		from, to = to, from
	case to == "", e.To == Next:
		from = me
	}
	return Document{SchemaVersion: "1.0", From: from, To: to, Topic: e.Topic,
		References: []string{relation.Form{Kind: relation.Re, ID: e.ID}.String()}}
}

// Supersede returns a document without a body that replaces a handoff.
func Supersede(e Entry) Document {
	return Document{SchemaVersion: "1.0", From: e.From, To: e.To, Topic: e.Topic,
		References: []string{relation.Form{Kind: relation.Supersedes, ID: e.ID}.String()}}
}
