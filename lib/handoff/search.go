package handoff

import (
	"context"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/search"
	"github.com/seed-78daf238/handoff/lib/internal/words"
)

// A Query says what Search looks for.
type Query struct {
	Filter
	Words []string // all of them must occur, upper and lower case being the same; a word may hold spaces
	Limit int      // of the matches that are returned; 0 means no limit
}

// A Match is a handoff that Search found. Only the document proves what the entry says; it was proven.
type Match = search.Match

// A Passage is text of a handoff around what was searched for. It is as untrusted as a body: show it
// through EscapeLine.
type Passage = words.Passage

// Found is the outcome of Search.
type Found struct {
	Matches []Match // newer by ts_utc first, of the same time those that were written later
	Total   int     // how many handoffs match, those above the limit included
}

// Search returns the handoffs that the filter chooses and that hold all words: in from, to, topic, ts_utc,
// a tag, a reference or the body. It takes no lock. What it returns was proven to be what was written;
// what cannot be read or proven is warned about and left out. No words, or an empty one, is ErrInvalid.
func (s *Store) Search(ctx context.Context, q Query) (Found, error) {
	looked, err := words.New(q.Words)
	if err == nil {
		err = q.check()
	}
	if err != nil {
		return Found{}, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return Found{}, err
	}
	defer d.Close()
	rows := q.Filter
	rows.Tag = "" // is looked for together with the words
	entries, err := s.List(rows)
	if err != nil {
		return Found{}, err
	}
	slices.Reverse(entries)
	x := search.Search{At: s.at, Dir: d, Words: looked, Tag: q.Tag, Prove: func(e Entry) (Document, error) {
		got, err := s.load(d, e)
		return got.Document, err
	}}
	matches, total, err := x.Run(ctx, entries, q.Limit)
	return Found{matches, total}, err
}
