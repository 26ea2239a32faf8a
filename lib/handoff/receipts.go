package handoff

import (
	"cmp"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/session"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Listed entry is how a handoff looks in JSON.
type Listed struct {
	ID     string   `json:"handoff_id"`
	File   string   `json:"file_path"` // relative to the project root if inside it
	From   string   `json:"from"`
	To     string   `json:"to"`
	Topic  string   `json:"topic"`
	Title  string   `json:"title"` // what people read: the words of the sender, escaped for one line
	Time   string   `json:"ts_utc"`
	Tags   []string `json:"tags"`
	ReadBy []Mark   `json:"read_by"`
	Unread bool     `json:"unread"` // by its recipient, and not over
	State  State    `json:"state,omitempty"`
	Told   string   `json:"told_ts_utc,omitempty"` // when a session of its recipient was told of it last

	Signature *Signature `json:"signature,omitempty"`
}

// listedEntry returns how an entry looks in JSON, without its state.
func (s *Store) listedEntry(e Entry) Listed {
	marks := append([]Mark{}, e.Marks()...)
	return Listed{ID: e.ID, File: s.at.RelPath(e.File), From: e.From, To: e.To, Topic: e.Topic, Title: e.Topic, Time: e.Time, Tags: []string{}, ReadBy: marks, Unread: e.UnreadBy("")}
}

// ForAgents is the entry without the names of directories, which somebody else may have chosen for
// agents to read.
func (l Listed) ForAgents() Listed {
	l.File = shownPath(l.File)
	return l
}

// Listed returns entries as they look in JSON, each with its state.
func (s *Store) Listed(entries []Entry) []Listed {
	at := s.standing()
	all := make([]Listed, len(entries))
	for i, e := range entries {
		all[i] = s.listedEntry(e)
		all[i].State = at.state(e)
		all[i].Unread = all[i].Unread && !all[i].State.LeavesUnread()
		if all[i].State == StateUnread {
			all[i].Told = at.toldAt(e)
		}
	}
	s.listDocuments(all, entries)
	return all
}

// NewestFirst returns the entries by ts_utc; of equal times the later rows come first.
func NewestFirst(entries []Entry) []Entry {
	sorted := make([]Entry, len(entries))
	for i, from := range NewestOrder(entries) {
		sorted[i] = entries[from]
	}
	return sorted
}

// NewestOrder returns the places of the entries in the order of NewestFirst.
func NewestOrder(entries []Entry) []int32 {
	order, digits := make([]int32, len(entries)), make([]uint64, len(entries)) // of the times down to the second: they tell most apart
	for i, e := range entries {
		order[len(order)-1-i] = int32(i)
		for _, c := range []byte(e.Time[:min(len(e.Time), len("2006-01-02T15:04:05"))]) {
			if '0' <= c && c <= '9' {
				digits[i] = 10*digits[i] + uint64(c-'0')
			}
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if digits[a] != digits[b] {
			return cmp.Compare(digits[b], digits[a])
		}
		return cmp.Or(index.CompareTimes(entries[b].Time, entries[a].Time), int(b-a))
	})
	return order
}

// listDocuments sets what documents say: title, tags, and the signature. Documents with a signature are proven, the others
// are taken as they are. A document that cannot be read, or whose sender is not trusted, has its topic as title.
func (s *Store) listDocuments(all []Listed, entries []Entry) {
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return
	}
	defer d.Close()
	for i, e := range entries {
		all[i].Signature = &Signature{State: SignatureUnsigned}
		var doc Document
		if signature, err := store.ReadSignature(d, e.ID); err != nil || signature != nil {
			got, err := s.load(d, e)
			if doc, all[i].Signature = got.Document, &got.Signature; err != nil && got.Signature.State == "" {
				all[i].Signature = nil // it is not known
				continue
			}
		} else if text, err := d.ReadFile(e.File, disk.MaxDocument); err == nil {
			doc, _ = document.ParseStored(text)
		}
		all[i].Tags = append(all[i].Tags, doc.Tags...)
		if _, refused := s.Distrust(e.From, *all[i].Signature); !refused {
			all[i].Title = Title(doc.Body, e.Topic)
		}
	}
}

// offered says when the sessions of operators were told of which handoffs last.
type offered map[[2]string]string

func (s *Store) told() offered {
	told := make(offered)
	for _, o := range s.Sessions().Offers() {
		for _, id := range o.IDs {
			told[[2]string{id, o.Operator}] = o.Time
		}
	}
	return told
}

// A Delivery is what is known of the way of a handoff to whoever reads it.
type Delivery struct {
	Listed
	Offers []Offer `json:"offers"` // each without its list of ids
}

// Delivery returns what is known of the delivery of a handoff. The id is taken as Read takes it.
func (s *Store) Delivery(id string) (Delivery, error) {
	e, err := s.Find(id)
	if err != nil {
		return Delivery{}, err
	}
	d := Delivery{Listed: s.Listed([]Entry{e})[0], Offers: []Offer{}}
	for _, o := range s.Sessions().Offers() {
		if slices.Contains(o.IDs, e.ID) {
			o.IDs = nil
			d.Offers = append(d.Offers, o)
		}
	}
	return d, nil
}

// An Offer says that a session of an agent was told of handoffs.
type Offer = session.Offer

// Offer records that a session was told of handoffs, unless the record says so already; a session without
// an id is told once a day. It reports whether a line was added. It never waits, and may record nothing.
func (a Sessions) Offer(o Offer) (recorded bool) { return session.RecordOffer(a.s.at, o) }

// Offers returns the offers that are recorded, older ones first. Where the record cannot be read that is
// warned about, and there are none.
func (a Sessions) Offers() []Offer { return session.Offers(a.s.at) }
