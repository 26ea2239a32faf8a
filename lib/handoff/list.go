package handoff

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Mark records that an operator has read a handoff. Operator is the reader, and Time is when.
type Mark = index.Mark

// An Entry is a handoff as INDEX.md lists it. ID, File, From, To, Topic and Time are copied from the document; only
// Read proves them. ReadBy is the cell of its readers; Marks and UnreadBy interpret it.
type Entry = index.Row

// A Filter chooses entries. Its zero value chooses all.
type Filter struct {
	To, From, Topic string
	Tag             string    // needs the documents of all entries that the other conditions choose
	Since           time.Time // ts_utc is not before it
	Unread          bool      // in StateUnread: unread by To, or by their recipient if To is ""
	All             bool      // with Unread, also those that are taken or closed
	Present         bool      // not archived
	State           State     // "" means any
	Open            bool      // not closed
	Newest          int       // only the newest n, or a few more; 0 means all
}

func (f Filter) matches(e Entry) bool {
	return (f.To == "" || e.IsTo(f.To)) && (f.From == "" || e.From == f.From) &&
		(f.Topic == "" || e.Topic == f.Topic) &&
		(f.Since.IsZero() || !isBefore(e.Time, f.Since)) &&
		(!f.Unread || e.UnreadBy(f.To))
}

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

func isBefore(ts string, t time.Time) bool {
	at, err := time.Parse(time.RFC3339Nano, ts)
	return err != nil || at.Before(t)
}

// List returns the entries that the filter chooses, oldest row first. It takes no lock. A store that does not exist
// has no entries. A name in the
// filter that no handoff can have is ErrInvalid.
func (s *Store) List(f Filter) ([]Entry, error) {
	in, err := s.choose(f, store.Choice{Newest: f.Newest})
	return in.Newest, err
}

// Chosen is like List, but also counts what was left out: older entries by recipient, closed ones by state.
func (s *Store) Chosen(f Filter) (Inbox, error) { return s.choose(f, store.Choice{Newest: f.Newest}) }

func (s *Store) choose(f Filter, choice store.Choice) (in Inbox, err error) {
	if err := f.check(); err != nil {
		return in, err
	}
	defer s.at.Hold()()
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return in, err
	}
	defer d.Close()
	at := s.stateReader()
	over := make(map[string]State)
	closed := sync.OnceValue(func() map[string]bool { return at.facts().Closed() })
	choice.Is = func(e Entry) bool {
		fits, hidden := f.admits(e, at, closed)
		if hidden != "" {
			over[strings.Clone(e.ID)] = hidden
		}
		return fits
	}
	if in.Newest, in.For, err = s.at.Scan(d, choice); err != nil {
		return Inbox{}, err
	}
	in.Over = make(map[State]int)
	for _, state := range over {
		in.Over[state]++
	}
	in.Newest = slices.DeleteFunc(in.Newest, func(e Entry) bool { return !s.hasTag(d, f.Tag, e) })
	return in, nil
}

// admits reports whether an entry fits, as far as its row and its state say. hidden is its state if that alone leaves
// it out of what is unread or present. closed returns the handoffs that are closed.
func (f Filter) admits(e Entry, at stateReader, closed func() map[string]bool) (fits bool, hidden State) {
	if !f.matches(e) {
		return false, ""
	}
	if f.Present && closed()[e.ID] {
		if state := at.state(e); state == StateArchived || state == StateWithdrawn {
			return false, state
		}
	}
	if f.State == "" && !f.Open && (!f.Unread || f.All) {
		return true, ""
	}
	state := at.state(e)
	if f.Unread && !f.All && state.LeavesUnread() {
		return false, state
	}
	return (f.State == "" || state == f.State) && !(f.Open && state.IsClosed()), ""
}

// hasTag reports whether the document of an entry has a tag, or the tag is "".
func (s *Store) hasTag(d *disk.Dir, tag string, e Entry) bool {
	if tag == "" {
		return true
	}
	doc, err := s.load(d, e)
	if err != nil {
		s.opt.Warn(fmt.Sprintf("%s is left out: %v", e.ID, err))
	}
	return err == nil && slices.Contains(doc.Tags, tag)
}
