package handoff

import (
	"context"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/search"
)

// A Query says what Search looks for.
type Query struct {
	Filter
	Words []string // words, or questions in sentences
	Every bool     // only what has every word, not any
	Limit int      // of the matches that are returned; 0 means no limit
}

// A Match is a handoff that Search found. Only the document proves what the entry says; it was proven.
type Match = search.Match

// A Passage is text of a handoff around what was searched for. It is as untrusted as a body: show it
// through EscapeLine.
type Passage = search.Passage

// Found is the outcome of Search.
type Found struct {
	Matches []Match // the best first, of the same score newer by ts_utc, then those that were written later
	Total   int     // how many handoffs match, those above the limit included
}

// Search returns the handoffs that the filter chooses and that have the words, those first that are most about them:
// scores are those of BM25 over title, topic, body, from, to, ts_utc, tags and references. A word is found in upper
// and lower case, with accents and without, in its other grammatical forms and, for less, at the beginning of a longer
// one. It takes no lock. What it returns was proven to be what was written; what cannot be read or proven is warned
// about and left out. No words, a blank one, or none but words that nearly every text has, is ErrInvalid.
func (s *Store) Search(ctx context.Context, q Query) (Found, error) {
	looked, err := search.Parse(q.Words)
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
	x := search.Search{At: s.at, Dir: d, Query: looked, Every: q.Every, Tag: q.Tag}
	x.Prove = func(e Entry) (Document, error) {
		got, err := s.load(d, e)
		return got.Document, err
	}
	matches, total, err := x.Run(ctx, entries, q.Limit)
	return Found{matches, total}, err
}
