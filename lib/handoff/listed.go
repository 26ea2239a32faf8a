package handoff

import (
	"runtime"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
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

// ForAgents returns l without the title, tags and names of directories: another person can have chosen
// them to influence agents.
func (l Listed) ForAgents() Listed {
	l.Title, l.Tags = "", []string{}
	l.File = shownPath(l.File)
	return l
}

// Listed returns entries in the form of their JSON, with their states, and with titles and signatures from the
// documents, which it proves. A document that cannot be proven, or must not be shown, keeps its topic as title.
func (s *Store) Listed(entries []Entry) []Listed {
	all := make([]Listed, len(entries))
	for i, e := range entries {
		all[i] = Listed{ID: e.ID, File: s.at.RelPath(e.File), From: e.From, To: e.To, Topic: e.Topic, Title: e.Topic,
			Time: e.Time, Tags: append([]string{}, e.Tags...), ReadBy: append([]Mark{}, e.ReadBy...),
			Unread: e.UnreadBy("") && !leavesUnread(e.state), State: e.state,
			Signature: &Signature{State: SignatureUnsigned}}
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
func (s *Store) ListedOne(e Entry) Listed { return s.Listed([]Entry{e})[0] }
