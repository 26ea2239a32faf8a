package facts

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/signature"
)

// Next is the recipient of a handoff that is for whoever works here next.
const Next = "next"

// Facts is what the log says up to a point.
type Facts struct {
	general

	all     []*Handoff
	by      map[string]*Handoff
	replies map[string][]*Handoff // by the id that they answer
	newer   map[string][]*Handoff // by the id that they supersede, whether or not they may

	isPart bool // closed handoffs were left out
	lacks  bool // an event was about one of them
}

// The general facts are not about a single handoff. A snapshot has the exported fields of this type and of Handoff.
type general struct {
	At    log.Point
	Count int // of events, as the caller counts them

	Writer    string
	Rules     *log.Rules // the accepted rules, nil if there are none
	Sync      Sync
	Recovered time.Time // when a repair said last that the log may lack what was before

	Places map[string]int             // of turns that a log lists: their order
	Listed int                        // how many places were given
	Lost   map[string]bool            // turns that a sync.lost names
	Seals  map[string]map[string]bool // by key: the ids of the events that it has sealed
	Known  map[string]bool            // all senders and recipients but Next, and whether they did something here
	Others map[string]bool            // the ids of received events that are neither notes nor turns
}

// Sync is how far the store was exchanged with its remote.
type Sync struct {
	Remote  string   // "" before the first sync
	Missing []string // ids of documents that the sync was begun for
	Logs    map[string]Reading
}

// A Reading is how far a log was read.
type Reading struct {
	End     string
	Through log.Point // of the outbox: all that this clone made up to here stands in it
}

// A Handoff is what the log says about a document.
type Handoff struct {
	ID, File, From, To, Topic, Time string
	Tags                            []string
	Source                          string // the file that it was written from, "" if unknown
	Record                          log.Record
	Verification                    string
	relation.Set                        // of the references that change a state
	Order                           int // of its arrival
	Pruned, Lost                    bool
	Notes                           []Note
	Turns                           []*Turn

	at time.Time
}

// A Note is a fact.
type Note struct {
	Type, Operator, ID string
	At                 time.Time
	IsOwn              bool // it was made here
}

// A Turn is an event whose order counts.
type Turn struct {
	ID, Type, Operator, Session string
	At, Until                   time.Time // Until is zero for a take without an end
	Of                          []string
	Over                        bool
	Note                        string
	IsOwn                       bool // it was made here

	Place  int  // in a snapshot, that of Places
	IsLost bool // in a snapshot, that of Lost
}

// New returns the facts of an empty log.
func New() *Facts {
	return &Facts{by: map[string]*Handoff{}, replies: map[string][]*Handoff{}, newer: map[string][]*Handoff{},
		general: general{At: log.Start, Sync: Sync{Logs: map[string]Reading{}}, Known: map[string]bool{},
			Seals: map[string]map[string]bool{}, Others: map[string]bool{}, Places: map[string]int{},
			Lost: map[string]bool{}}}
}

// Of returns the handoff with an id, nil if the log has none. It may be pruned.
func (f *Facts) Of(id string) *Handoff { return f.by[id] }

// All returns the handoffs that were not pruned, in the order of their arrival.
func (f *Facts) All() []*Handoff {
	return slices.DeleteFunc(slices.Clone(f.all), func(h *Handoff) bool { return h.Pruned })
}

// Add adds a complete change. The point after it is for the caller to set.
func (f *Facts) Add(change []log.Event) {
	for _, e := range change {
		switch p := e.Payload; e.Type {
		case log.Write, log.Import:
			f.addDocument(p)
		case log.MarkRead, log.MarkUnread, log.Archive, log.Unarchive:
			f.addName(p.Operator, true)
			if h := f.about(p.ID); h != nil {
				h.addNote(e)
			}
		case log.Take, log.Renew, log.Release, log.Done, log.Reopen, log.Withdraw, log.Resume:
			f.addName(p.Operator, true)
			if h := f.about(p.ID); h != nil {
				h.addTurn(e)
			}
		case log.Prune:
			f.each(p.Removed, func(h *Handoff) { h.Pruned = true })
		case log.Repair:
			f.each(slices.Concat(p.Moved, p.Lost), func(h *Handoff) { h.Lost = true })
		case log.Trust:
			f.Rules = p.Rules
			f.lacks = f.lacks || f.isPart // who counts decides what is closed
		case log.Begin, log.Regenerate:
			if p.Writer != "" {
				f.Writer = p.Writer
			}
		case log.Seal:
			f.addSeal(p)
			f.Others[e.ID()] = true
		case log.SyncBegin:
			f.beginSync(p.Remote, p.Missing)
		case log.Recovered: // the log may lack what was read
			f.Recovered, _ = instant(p.Time)
			f.beginSync(f.Sync.Remote, nil)
		case log.SyncRead:
			f.addReading(p)
		case log.SyncLost:
			for _, id := range p.Events {
				f.Lost[id] = true
			}
		default:
			if e.Type == log.Sign || p.Here != nil {
				f.Others[e.ID()] = true
			}
		}
	}
}

// beginSync forgets what was read.
func (f *Facts) beginSync(remote string, missing []string) {
	f.Sync = Sync{remote, missing, map[string]Reading{}}
	f.Places, f.Listed = map[string]int{}, 0
	f.lacks = f.lacks || f.isPart // the places of turns decide what is closed
}

func (f *Facts) addReading(p log.Payload) {
	through, _ := log.ParsePoint(p.Through)
	f.Sync.Logs[p.Log] = Reading{p.End, through}
	for _, id := range p.Turns {
		if f.Places[id] == 0 {
			f.Listed++
			f.Places[id] = f.Listed
		}
	}
}

// addSeal notes which events a key has signed. A seal that does not hold says nothing.
func (f *Facts) addSeal(p log.Payload) {
	key, err := signature.Verify(SealText(p.Events), []byte(p.Signature), SealNamespace)
	if err != nil {
		return
	}
	if f.Seals[key] == nil {
		f.Seals[key] = map[string]bool{}
	}
	for _, id := range p.Events {
		f.Seals[key][id] = true
	}
	f.lacks = f.lacks || f.isPart // it may be about a closed handoff
}

// SealNamespace is the namespace of the signatures of seals.
const SealNamespace = "handoff-batch-v1"

// SealText returns the text that a seal signs: the ids of events, one a line.
func SealText(ids []string) []byte { return []byte(strings.Join(ids, "\n") + "\n") }

// about returns the handoff that an event is about.
func (f *Facts) about(id string) *Handoff {
	h := f.by[id]
	f.lacks = f.lacks || h == nil && f.isPart
	return h
}

func (f *Facts) each(ids []string, do func(*Handoff)) {
	for _, id := range ids {
		if h := f.by[id]; h != nil {
			do(h)
		}
	}
}

// Names returns who wrote, read or took a handoff, and all other recipients but [Next], sorted, also if closed handoffs
// were left out.
func (f *Facts) Names() (acted, sentTo []string) {
	for _, name := range slices.Sorted(maps.Keys(f.Known)) {
		if f.Known[name] {
			acted = append(acted, name)
		} else {
			sentTo = append(sentTo, name)
		}
	}
	return acted, sentTo
}

// addName remembers a name, and whether it did something.
func (f *Facts) addName(name string, hasActed bool) {
	if before, is := f.Known[name]; name != Next && (!is || hasActed && !before) {
		f.Known[strings.Clone(name)] = hasActed
	}
}

// addDocument adds a document, or that it was stored again.
func (f *Facts) addDocument(p log.Payload) {
	if _, ok := instant(p.Time); !form.IsID(p.ID) || !ok {
		return
	}
	file := path.Base(strings.ReplaceAll(p.File, `\`, "/"))
	if h := f.by[p.ID]; h != nil {
		h.File, h.Pruned, h.Lost = file, false, false
		return
	}
	f.lacks = f.lacks || f.isPart && p.Again
	h := &Handoff{ID: p.ID, File: file, From: p.From, To: p.To, Topic: p.Topic, Time: p.Time, Tags: p.Tags,
		Source: p.Source, Verification: p.Verification, Set: relation.Of(p.References)}
	if p.Record != nil {
		h.Record = *p.Record
	}
	if n := len(f.all); n > 0 {
		h.Order = f.all[n-1].Order + 1
	}
	f.addName(p.From, true)
	f.addName(p.To, false)
	f.insert(h)
}

// insert adds a handoff and connects it with those that it names, or that name it.
func (f *Facts) insert(h *Handoff) {
	h.at, _ = instant(h.Time)
	f.all = append(f.all, h)
	f.by[h.ID] = h
	for _, id := range h.Re {
		f.replies[id] = append(f.replies[id], h)
	}
	for _, id := range h.Supersedes {
		f.newer[id] = append(f.newer[id], h)
	}
}

// Replies returns the handoffs that answer one, in the order of their arrival.
func (f *Facts) Replies(h *Handoff) []*Handoff { return f.replies[h.ID] }

// Superseders returns the handoffs that supersede one, in the order of their arrival. Only those of its sender and
// recipients count.
func (f *Facts) Superseders(h *Handoff) (all []*Handoff) {
	for _, other := range f.newer[h.ID] {
		if other.From == h.From || h.IsTo(other.From) {
			all = append(all, other)
		}
	}
	return all
}

// IsTo reports whether a handoff is to an operator.
func (h *Handoff) IsTo(operator string) bool { return h.To == operator || h.To == Next }

func (h *Handoff) addNote(e log.Event) {
	if at, ok := instant(e.Payload.Time); ok && e.Payload.Operator != "" {
		h.Notes = append(h.Notes, Note{e.Type, e.Payload.Operator, e.ID(), at, e.Payload.Here == nil})
	}
}

func (h *Handoff) addTurn(e log.Event) {
	t, ok := turnOf(e, e.ID())
	if ok && !slices.ContainsFunc(h.Turns, func(other *Turn) bool { return other.ID == t.ID }) {
		h.Turns = append(h.Turns, t)
	}
}

// turnOf returns an event as a turn. ok is false if it states no time or no operator.
func turnOf(e log.Event, id string) (t *Turn, ok bool) {
	p := e.Payload
	at, isTime := instant(p.Time)
	until, isEnd := instant(p.Until)
	ok = isTime && (isEnd || p.Until == "") && p.Operator != ""
	return &Turn{id, e.Type, p.Operator, p.Session, at, until, p.Of, p.Over, p.Note, p.Here == nil, 0, false}, ok
}

// instant parses a time of an event, to the microsecond.
func instant(text string) (time.Time, bool) {
	at, ok := form.Instant(text)
	return at.Truncate(time.Microsecond), ok
}

// Turns returns the turns of a handoff that may count, in their order.
func (f *Facts) Turns(h *Handoff) []*Turn {
	if len(h.Turns) == 0 {
		return nil
	}
	order := slices.DeleteFunc(slices.Clone(h.Turns), func(t *Turn) bool {
		return f.Lost[t.ID] && f.Places[t.ID] == 0
	})
	place := func(t *Turn) int {
		if n := f.Places[t.ID]; n > 0 {
			return n
		}
		return f.Listed + 1
	}
	slices.SortStableFunc(order, func(a, b *Turn) int { return place(a) - place(b) })
	return order
}

// Naming returns the handoffs that answer one or supersede it, whether or not they may, by its id. It need not be here.
func (f *Facts) Naming(id string) []*Handoff { return slices.Concat(f.replies[id], f.newer[id]) }

// IsUnsent reports whether no log lists a turn, and no sync.lost names it.
func (f *Facts) IsUnsent(turn string) bool { return f.Places[turn] == 0 && !f.Lost[turn] }
