package handoff

import (
	"cmp"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An Entry is a handoff as the store lists it, and the form of its JSON. The log states ID, File, From, To, Topic, Time
// and Tags; only Read proves them. Title, Signature and the directory in File are set by [Store.Listed] alone.
type Entry struct {
	ID     string   `json:"handoff_id"`
	File   string   `json:"file_path"` // Listed makes it relative to the project root if it is inside
	From   string   `json:"from"`
	To     string   `json:"to"`
	Topic  string   `json:"topic"`
	Title  string   `json:"title"` // chosen by the sender, escaped for one line
	Time   string   `json:"ts_utc"`
	Tags   []string `json:"tags"`
	ReadBy []Mark   `json:"read_by"` // in the order of their times
	Unread bool     `json:"unread"`  // unread by its recipient, and neither taken nor closed
	State  State    `json:"state,omitempty"`

	Signature *Signature `json:"signature,omitempty"`

	of   *facts.Handoff
	life *facts.Life
}

// A Mark records that an operator has read a handoff, and when.
type Mark struct {
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// IsTo reports whether the handoff is addressed to an operator.
func (e Entry) IsTo(operator string) bool { return document.IsTo(e.To, operator) }

// UnreadBy reports whether an operator has not read the handoff; "" means its recipient. One to Next is unread until
// the first operator has read it.
func (e Entry) UnreadBy(operator string) bool {
	if e.To == Next {
		return len(e.ReadBy) == 0
	}
	operator = cmp.Or(operator, e.To)
	return !slices.ContainsFunc(e.ReadBy, func(m Mark) bool { return m.Operator == operator })
}

// Row returns the entry as a row of INDEX.md.
func (e Entry) Row() string { return index.Row(e.of, e.life) }

// stamp formats a time of an event, to the second; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// entry returns a handoff of a look.
func entry(v facts.View, h *facts.Handoff) Entry {
	l := v.Life(h)
	e := Entry{ID: h.ID, File: h.File, From: h.From, To: h.To, Topic: h.Topic, Time: h.Time, Tags: h.Tags,
		State: v.State(h, l), of: h, life: l}
	for _, m := range l.Reads {
		e.ReadBy = append(e.ReadBy, Mark{m.Operator, stamp(m.At)})
	}
	e.Unread = !leavesUnread(e.State) && e.UnreadBy("")
	return e
}

// entries returns the handoffs of a look that fit, in the order of their arrival.
func entries(look *store.Look, fits func(Entry) bool) (all []Entry) {
	listed := look.Listed()
	all = make([]Entry, 0, len(listed))
	for _, h := range listed {
		if e := entry(look.View, h); fits(e) {
			all = append(all, e)
		}
	}
	return all
}

// ForAgents returns e without the title, tags and names of directories: another person can have chosen them to
// influence agents.
func (e Entry) ForAgents() Entry {
	e.Title, e.Tags, e.File = "", []string{}, shownPath(e.File)
	return e
}

// shownPath returns only the name of a file, unless its directory is the default one.
func shownPath(file string) string {
	if file == "" || path.Dir(file) == "handoffs" {
		return file
	}
	return path.Base(file)
}

// Listed completes entries with the titles and signatures of their documents, which it proves. A document that cannot
// be proven, or must not be shown, keeps its topic as title.
func (s *Store) Listed(entries []Entry) []Entry {
	all := make([]Entry, len(entries))
	for i, e := range entries {
		e.File, e.Title, e.Signature = s.at.RelPath(e.File), e.Topic, &Signature{State: SignatureUnsigned}
		e.Tags, e.ReadBy = append([]string{}, e.Tags...), append([]Mark{}, e.ReadBy...)
		all[i] = e
	}
	d, err := s.at.Open()
	keys, keysErr := s.keys()
	if err != nil || d == nil || keysErr != nil {
		return all
	}
	defer d.Close()
	disk.Each(len(entries), runtime.GOMAXPROCS(0), func(i int) {
		got, err := s.load(d, keys, entries[i])
		if got.Signature.State != "" {
			all[i].Signature = &got.Signature
		}
		if err == nil && keys.Distrust(got.From, got.Signature) == "" {
			all[i].Title = Title(got.Body, got.Topic)
		}
	})
	return all
}

// ListedOne returns one entry as Listed does.
func (s *Store) ListedOne(e Entry) Entry { return s.Listed([]Entry{e})[0] }

// look returns what the store says now; with part, at least what needs work or was touched in the last week.
func (s *Store) look(part bool) (*store.Look, error) { return s.at.Look(part) }

// compareTimes compares two ts_utc by their instants.
func compareTimes(a, b string) int {
	if len(a) == len(b) { // all are in UTC
		return strings.Compare(a, b)
	}
	x, _ := form.Instant(a)
	y, _ := form.Instant(b)
	return cmp.Or(x.Compare(y), strings.Compare(a, b))
}

// A State is the state of a handoff, such as StateUnread. States are derived, never stored.
type State = facts.State

// The states of a handoff. If several apply, the first of this list counts:
// archived, withdrawn, done, superseded, expired, taken, read, unread.
const (
	StateUnread     = facts.Unread     // its recipient has not marked it as read
	StateRead       = facts.Read       // its recipient has marked it as read
	StateTaken      = facts.Taken      // it has a holder
	StateDone       = facts.Done       // it is finished
	StateSuperseded = facts.Superseded // it has a successor
	StateExpired    = facts.Expired    // its expiry time has passed
	StateArchived   = facts.Archived   // it is hidden
	StateWithdrawn  = facts.Withdrawn  // its sender took it back before it was read
)

// States returns all states, in the order in which a handoff usually reaches them.
func States() []State { return facts.States }

// isStale reports whether a handoff in this state needs no work, although it is not done: @ never means it.
func isStale(state State) bool {
	return state == StateSuperseded || state == StateExpired || state == StateArchived || state == StateWithdrawn
}
