package search

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Query has the words to find.
type Query struct {
	terms   []string
	weights []float64 // of the hits, after rank
}

// hits says how often a text has each term, and then how often it has a word that differs from it in one letter. A
// longer word that begins with a term counts less. It is nil if a text has none.
type hits []int

const (
	full     = 4 // an occurrence of a term
	part     = 2 // of a longer word, or of nearly the same
	shortest = 3 // the letters of a word that also matches longer words
	stem     = 5 // the bytes at the beginning of words that match with other endings, such as painted and painting
	ending   = 3 // the bytes in which they can differ

	maxTerms = 100 // the words of a query that count
)

//go:embed stopwords.txt
var stopWords string

// Parse returns a query for texts, which can be words or questions. Words that nearly every text has count only if
// there are no others. The error is ErrInvalid if a text is blank.
func Parse(texts []string) (*Query, error) {
	var all []string
	new(splitter).each(strings.Join(texts, "\n"), func(word []byte, _ int) { all = append(all, string(word)) })
	isBlank := func(text string) bool { return strings.TrimSpace(text) == "" }
	if len(all) == 0 || slices.ContainsFunc(texts, isBlank) {
		return nil, fault.Invalid("name what to look for, such as `handoff search deploy`",
			"there is no word to search for")
	}
	terms, stop := []string{}, strings.Fields(stopWords)
	for _, word := range all {
		isInPair := func(pair string) bool { return len(pair) > len(word) && strings.Contains(pair, word) }
		_, size := utf8.DecodeRuneInString(word)
		isPart := size > 1 && size == len(word) && slices.ContainsFunc(all, isInPair)
		if len(terms) == maxTerms {
			break
		}
		if !isPart && !slices.Contains(stop, word) && !slices.Contains(terms, word) {
			terms = append(terms, word)
		}
	}
	if len(terms) == 0 {
		terms = all[:min(len(all), maxTerms)]
	}
	slices.Sort(terms)
	return &Query{terms, append(slices.Repeat([]float64{1}, len(terms)), make([]float64, len(terms))...)}, nil
}

// match returns the hits of a word of a text.
func (q *Query) match(word string) (found hits) {
	for i, term := range q.terms {
		times, letters := full, utf8.RuneCountInString(term)
		switch {
		case word == term:
		case letters >= shortest && strings.HasPrefix(word, term),
			letters > stem && len(word) <= len(term)+ending &&
				strings.HasPrefix(word, term[:max(stem, len(term)-ending)]):
			times = part
		case letters > shortest && len(word) < len(term)+utf8.UTFMax && form.Edits(word, term) == 1:
			i, times = i+len(q.terms), part
		default:
			continue
		}
		if found == nil {
			found = make(hits, len(q.weights))
		}
		found[i] = times
	}
	return found
}

// A candidate is a handoff, and what it has of the terms.
type candidate struct {
	page  int
	time  string // its ts_utc
	words int
	hits  hits
	score float64
	err   error
}

// A counter counts the terms of a query, text by text. It remembers the hits of words.
type counter struct {
	splitter
	query *Query
	known map[string]hits
}

func newCounter(q *Query) *counter { return &counter{query: q, known: make(map[string]hits)} }

const maxKnown = 1 << 16 // the maximum number of known words

func (c *counter) match(word []byte) hits {
	found, ok := c.known[string(word)]
	if !ok {
		if len(c.known) == maxKnown {
			clear(c.known)
		}
		found = c.query.match(string(word))
		c.known[string(word)] = found
	}
	return found
}

// count adds the terms in a part of a text, each as often as its weight.
func (c *counter) count(in *candidate, text string, weight int) {
	in.words += c.each(text, func(word []byte, _ int) {
		found := c.match(word)
		if in.hits == nil && found != nil {
			in.hits = make(hits, len(found))
		}
		for i, n := range found {
			in.hits[i] += n * weight
		}
	})
}

// Okapi BM25 (Robertson and others, TREC-3, 1994) with the usual constants.
const (
	saturation = 1.2  // how fast repetitions of a term lose importance
	evenness   = 0.75 // how much longer texts need more occurrences
)

// rank returns the texts that have a term, sorted by score, then newest first by ts_utc, then by order. The fewer texts
// have a hit, the more it weighs; one letter off weighs only if no text has the term, or a longer word. A text without
// all terms loses up to half of its score, so that a long text with two words ranks above a short one with one.
func (q *Query) rank(each []candidate) (found []candidate) {
	have, texts, words, total := make([]float64, len(q.weights)), 0.0, 0.0, 0.0
	for _, c := range each {
		texts, words = texts+float64(min(1, c.words)), words+float64(c.words)
		for i, n := range c.hits {
			have[i] += float64(min(1, n))
		}
	}
	for i, n := range have {
		if q.weights[i] = 0; n > 0 && (i < len(q.terms) || have[i-len(q.terms)] == 0) {
			q.weights[i] = math.Log(1 + (texts-n+0.5)/(n+0.5))
		}
		total += q.weights[i]
	}
	for _, c := range each {
		length := saturation * (1 - evenness + evenness*float64(c.words)/(words/texts))
		for i, n := range c.hits {
			times := float64(n) / full
			c.score += q.weights[i] * times * (saturation + 1) / (times + length)
		}
		if worth := q.worth(c.hits); worth > 0 {
			c.score = math.Round(c.score*(1+worth/total)/2*1000) / 1000
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), form.CompareInstants(b.time, a.time))
	})
	return found
}

// worth returns the total weight of the hits, each counted once.
func (q *Query) worth(found hits) (sum float64) {
	for i, n := range found {
		sum += q.weights[i] * min(1, float64(n)/full)
	}
	return sum
}
