package search

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Query has the words to find, without the stop words of their language.
type Query struct {
	terms   []string          // the words, sorted
	weights []float64         // the weight of each term, after weigh
	number  map[string]uint32 // the index of each term
	worth   beginnings        // of the words that may match
}

// A hit is a term in a text. times counts full for each occurrence of the term, and less for a longer word, such as
// painter for paint.
type hit struct {
	term  uint32
	times uint32
}

const (
	full = 4
	part = 1 // for a longer word
)

const shortest = 3 // the letters of a word that also matches longer words; longer than any sign

// Parse returns a query for texts, which can be words or questions. The error is ErrInvalid if a text is blank, or if
// there are only stop words.
func Parse(texts []string) (*Query, error) {
	isBlank := func(text string) bool { return strings.TrimSpace(text) == "" }
	all := wordsOf(strings.Join(texts, "\n"))
	if len(all) == 0 || slices.ContainsFunc(texts, isBlank) {
		return nil, fault.Invalid("name what to look for, such as `handoff search deploy`",
			"there is no word to search for")
	}
	words := withoutStopWords(all)
	if len(words) == 0 {
		const advice = "add a word that says what it is about, such as `handoff search deploy`"
		return nil, fault.Invalid(advice, "nearly every text has these words: %.80q",
			strings.Join(all, " "))
	}
	q := &Query{number: make(map[string]uint32)}
	q.terms = slices.Clone(words)
	slices.Sort(q.terms)
	q.terms = slices.Compact(q.terms)
	q.weights = slices.Repeat([]float64{1}, len(q.terms))
	for i, term := range q.terms {
		q.number[term] = uint32(i)
		q.worth.add(term)
	}
	return q, nil
}

// match returns the terms that match a word of a text, with their counts.
func (q *Query) match(word string) (hits []hit) {
	if term, ok := q.number[word]; ok {
		hits = append(hits, hit{term, full})
	}
	for n := shortest; n < len(word); n++ {
		if term, ok := q.number[word[:n]]; ok && utf8.RuneCountInString(word[:n]) >= shortest {
			hits = append(hits, hit{term, part})
		}
	}
	return hits
}

// wordsOf returns the words of a query.
func wordsOf(text string) (words []string) {
	s := scanner{alphabet: theAlphabet(), pairs: true}
	s.found = func(word []byte, _ int) { words = append(words, string(word)) }
	s.scan([]byte(text))
	return words
}

//go:embed stopwords.txt
var stopWordsTxt string

// withoutStopWords returns the words of a query that are no stop words of its probable language. English, first in the
// list, is the default: its words, such as war or hat, may be stop words in other languages.
func withoutStopWords(words []string) (rest []string) {
	language, most := "", 1
	for line := range strings.Lines(stopWordsTxt) {
		if language != "" && len(words) < most+2 {
			break // no other language can have more of them, and leave one
		}
		name, list, _ := strings.Cut(line, " ")
		stop := make(map[string]bool)
		for _, w := range wordsOf(list) {
			stop[w] = true
		}
		var others []string
		for _, w := range words {
			if !stop[w] {
				others = append(others, w)
			}
		}
		count := len(words) - len(others)
		if language == "" || count > most && len(others) > 0 {
			language, rest, most = name, others, max(most, count)
		}
	}
	return rest
}

// A counter counts the terms of a query, text by text.
type counter struct {
	scanner
	q      *Query
	known  map[string][]hit // the hits of known words
	hits   []hit            // of the text
	place  []int            // the index in hits of each term, from 1; 0 means none
	weight uint32           // the weight of each word in the current part
}

func newCounter(q *Query) *counter {
	c := &counter{q: q, known: make(map[string][]hit), place: make([]int, len(q.terms))}
	c.alphabet, c.worth = theAlphabet(), &q.worth
	c.found = func(word []byte, _ int) { c.add(c.match(word)) }
	return c
}

const maxKnown = 1 << 16 // the maximum number of known words

func (c *counter) match(word []byte) []hit {
	hits, ok := c.known[string(word)]
	if !ok {
		if len(c.known) == maxKnown {
			clear(c.known)
		}
		hits = c.q.match(string(word))
		c.known[string(word)] = hits
	}
	return hits
}

func (c *counter) add(hits []hit) {
	for _, h := range hits {
		if c.place[h.term] == 0 {
			c.hits = append(c.hits, hit{term: h.term})
			c.place[h.term] = len(c.hits)
		}
		c.hits[c.place[h.term]-1].times += h.times * c.weight
	}
}

// count counts the terms in a part of a text with a weight, and returns the number of its words.
func (c *counter) count(part []byte, weight uint32) int {
	c.weight = weight
	return c.scan(part)
}

// take returns the hits of the text, and begins a new text.
func (c *counter) take() []hit {
	hits := slices.Clone(c.hits)
	for _, h := range hits {
		c.place[h.term] = 0
	}
	c.hits = c.hits[:0]
	return hits
}
