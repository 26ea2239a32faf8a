package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A candidate is a handoff with at least one term.
type candidate struct {
	page   int
	time   string // its ts_utc
	isRead bool
	words  int
	hits   []hit
	score  float64
}

// Okapi BM25 (Robertson and others, TREC-3, 1994) with the usual constants.
const (
	saturation = 1.2  // how fast repetitions of a term lose importance
	evenness   = 0.75 // how much longer texts need more occurrences
)

// weigh sets the weight of each term: the fewer texts have it, the higher. Texts that only match approximately count
// if no text has the term itself.
func (q *Query) weigh(found []candidate, all int) {
	whole, nearly := make([]int, len(q.terms)), make([]int, len(q.terms))
	for _, c := range found {
		for _, h := range c.hits {
			nearly[h.term]++
			if h.times >= full {
				whole[h.term]++
			}
		}
	}
	for i := range q.weights {
		have := float64(cmp.Or(whole[i], nearly[i]))
		q.weights[i] = math.Log(1 + (float64(all)-have+0.5)/(have+0.5))
	}
}

// rank sets the scores and sorts by score, then newest first by ts_utc, then by order. A text without all terms loses
// up to half of its score, so that a long text with two words ranks above a short one with one. average is the
// average number of words of a text.
func (q *Query) rank(found []candidate, average float64) {
	total := 0.0
	for _, w := range q.weights {
		total += w
	}
	for i := range found {
		c := &found[i]
		slices.SortFunc(c.hits, func(a, b hit) int { return cmp.Compare(a.term, b.term) })
		length := saturation * (1 - evenness + evenness*float64(c.words)/average)
		sum, has := 0.0, 0.0
		for _, h := range c.hits {
			times := float64(h.times) / full
			sum += q.weights[h.term] * times * (saturation + 1) / (times + length)
			has += q.weights[h.term] * min(1, times)
		}
		c.score = math.Round(sum*(1+has/total)/2*1000) / 1000
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), form.CompareInstants(b.time, a.time))
	})
}
