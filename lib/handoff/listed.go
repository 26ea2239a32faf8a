package handoff

import (
	"cmp"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Listed is an entry in the form of its JSON.
type Listed struct {
	ID     string   `json:"handoff_id"`
	File   string   `json:"file_path"` // relative to the project root if inside it
	From   string   `json:"from"`
	To     string   `json:"to"`
	Topic  string   `json:"topic"`
	Title  string   `json:"title"` // chosen by the sender, escaped for one line
	Time   string   `json:"ts_utc"`
	Tags   []string `json:"tags"`
	ReadBy []Mark   `json:"read_by"`
	Unread bool     `json:"unread"` // unread by its recipient, and not closed
	State  State    `json:"state,omitempty"`

	Signature *Signature `json:"signature,omitempty"`
}

// listedEntry returns an entry in the form of its JSON, without its state.
func (s *Store) listedEntry(e Entry) Listed {
	marks := append([]Mark{}, e.Marks()...)
	return Listed{ID: e.ID, File: s.at.RelPath(e.File), From: e.From, To: e.To, Topic: e.Topic, Title: e.Topic,
		Time: e.Time, Tags: []string{}, ReadBy: marks, Unread: e.UnreadBy("")}
}

// ForAgents returns l without the title, tags and names of directories: another person can have chosen
// them to influence agents.
func (l Listed) ForAgents() Listed {
	l.Title, l.Tags = "", []string{}
	l.File = shownPath(l.File)
	return l
}

// Listed returns entries in the form of their JSON, with their states.
func (s *Store) Listed(entries []Entry) []Listed {
	at := s.stateReader()
	all := make([]Listed, len(entries))
	for i, e := range entries {
		all[i] = s.listedEntry(e)
		all[i].State = at.state(e)
		all[i].Unread = all[i].Unread && !all[i].State.LeavesUnread()
	}
	s.listDocuments(all, entries)
	return all
}

// ListedOne returns one entry as Listed does.
func (s *Store) ListedOne(e Entry) Listed { return s.Listed([]Entry{e})[0] }

// NewestFirst sorts entries by ts_utc, newest first. Of equal times the later row comes first.
func NewestFirst(entries []Entry) []Entry {
	sorted := make([]Entry, len(entries))
	for i, from := range NewestOrder(entries) {
		sorted[i] = entries[from]
	}
	return sorted
}

// NewestOrder returns the indexes of the entries in the order of NewestFirst.
func NewestOrder(entries []Entry) []int32 {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(index.CompareTimes(entries[b].Time, entries[a].Time), int(b-a))
	})
	return order
}

// listDocuments sets title, tags and signature from the documents, which it proves. A document that is not the listed
// one, is unreadable, or must not be shown, keeps its topic as title.
func (s *Store) listDocuments(all []Listed, entries []Entry) {
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return
	}
	defer d.Close()
	isSigned, signed := store.Signed(d), make([]bool, len(entries))
	titles := make([]string, len(entries))
	parallel.Each(len(entries), parallel.Workers(), func(i int) {
		if signed[i] = isSigned(entries[i].ID); !signed[i] {
			doc, _, err := s.at.Load(d, entries[i])
			if all[i].Signature = (&Signature{State: SignatureUnsigned}); err == nil {
				all[i].Tags, titles[i] = append(all[i].Tags, doc.Tags...), Title(doc.Body, entries[i].Topic)
			}
		}
	})
	refused := make(map[[2]string]bool) // by sender and state of the signature
	for i, e := range entries {
		if signed[i] {
			got, err := s.load(d, e)
			if err != nil && got.Signature.State == "" {
				continue // it is unknown
			}
			all[i].Signature, all[i].Tags = &got.Signature, append(all[i].Tags, got.Document.Tags...)
			titles[i] = Title(got.Document.Body, e.Topic)
		}
		q := [2]string{e.From, string(all[i].Signature.State)}
		if _, known := refused[q]; !known {
			refused[q] = s.Distrust(e.From, *all[i].Signature) != ""
		}
		if titles[i] != "" && !refused[q] {
			all[i].Title = titles[i]
		}
	}
}
