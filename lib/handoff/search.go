package handoff

import (
	"context"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/search"
)

// A Query is what Search looks for.
type Query struct {
	Filter
	Words []string // words, or questions in sentences
	Limit int      // the number of matches to return; 0 means no limit
}

// A Match is a handoff that Search found. It is an entry with its Title, as untrusted as the body, its Score and the
// Passages with the words. The document was proven.
type Match struct {
	Entry
	Score    float64 // comparable only with scores of the same search
	Passages []Passage
}

// A Passage is a line of a handoff with words of the query. Where is "body", "tags" or "references", Line is a line
// of the body, or 0. Text is as untrusted as a body: show it with EscapeLine.
type Passage = search.Passage

// Found is the result of Search.
type Found struct {
	Matches []Match // the best first; of equal scores the newest first
	Total   int     // the number of matching handoffs, including those above the limit
}

// Search returns the handoffs that the filter chooses and that contain the words, the most relevant first. Scores are
// BM25 over title, topic, body, from, to, ts_utc, tags and references.
//
// A word also matches in other case, without accents and, for a lower score, as the beginning of a longer word. Search
// takes no lock. It returns proven handoffs; others are left out with a warning.
// The error is ErrInvalid if no word is left, without blanks and words that nearly every text has.
func (s *Store) Search(ctx context.Context, q Query) (Found, error) {
	looked, err := search.Parse(q.Words)
	if err == nil {
		err = q.check()
	}
	if err != nil {
		return Found{}, err
	}
	entries, err := s.List(q.Filter)
	if err != nil {
		return Found{}, err
	}
	d, err := s.at.Open()
	if err != nil || d == nil {
		return Found{}, err
	}
	defer d.Close()
	keys, err := s.keys()
	if err != nil {
		return Found{}, err
	}
	slices.Reverse(entries)
	pages := make([]search.Page, len(entries))
	for i, e := range entries {
		pages[i] = search.Page{File: e.File, Topic: e.Topic, Time: e.Time}
	}
	x := search.Search{Dir: d, Query: looked, Warn: s.opt.Warn}
	x.Prove = func(i int) (Document, error) {
		got, err := s.load(d, keys, entries[i])
		return got.Document, err
	}
	found, total, err := x.Run(ctx, pages, q.Limit)
	matches := make([]Match, len(found))
	for i, f := range found {
		matches[i] = Match{entries[f.Page], f.Score, f.Passages}
		matches[i].Title = f.Title
	}
	return Found{matches, total}, err
}
