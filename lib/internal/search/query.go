package search

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Query is the words to look for, without those that nearly every text of their language has.
type Query struct {
	terms   []string            // their stems, sorted
	weights []float64           // how much each says, once that is known
	number  map[string]uint32   // of a stem in terms
	longer  map[string][]uint32 // the terms that words which begin with a text have to do with
	akin    map[string][]uint32 // the terms that words with a shorter stem have to do with
	worth   beginnings          // of words that may match
	stem    func(word string, stopWords bool) string
}

// A hit is how often a text has a term: full for each time that the term itself occurs, less for a shorter word, as
// paint is for painter, and for a longer one.
type hit struct {
	term  uint32
	times uint32
}

const (
	full = 4
	near = 2 // a shorter word
	part = 1 // a longer word
)

const (
	shortest   = 3 // letters of a word that finds those that begin with it; signs are never as many
	shortAkin  = 5 // bytes of a stem that is found by longer ones
	mostEnding = 3 // bytes that these have more
)

// stemmer returns what finds the stem of a word in ASCII, for the languages of stopwords.txt; nil if nothing does.
func stemmer(language string) func(word string, stopWords bool) string {
	switch language {
	case "english":
		return english.Stem
	case "french":
		return french.Stem
	case "spanish":
		return spanish.Stem
	case "swedish":
		return swedish.Stem
	case "norwegian":
		return norwegian.Stem
	}
	return func(word string, _ bool) string { return word }
}

// Parse returns what to look for. The texts may be words or whole questions. None, a blank one, or none but words that
// every text has, is ErrInvalid.
func Parse(texts []string) (*Query, error) {
	isBlank := func(text string) bool { return strings.TrimSpace(text) == "" }
	all := wordsOf(strings.Join(texts, "\n"))
	if len(all) == 0 || slices.ContainsFunc(texts, isBlank) {
		return nil, fault.New(fault.ErrInvalid, "name what to look for, such as `handoff search deploy`",
			"there is no word to search for")
	}
	language, words := withoutStopWords(all)
	if len(words) == 0 {
		const advice = "add a word that says what it is about, such as `handoff search deploy`"
		return nil, fault.New(fault.ErrInvalid, advice, "nearly every text has these words: %.80q", strings.Join(all, " "))
	}
	q := &Query{
		number: make(map[string]uint32), longer: make(map[string][]uint32), akin: make(map[string][]uint32),
		stem: stemmer(language),
	}
	for _, w := range words {
		q.terms = append(q.terms, q.stemOf(w))
	}
	slices.Sort(q.terms)
	q.terms = slices.Compact(q.terms)
	q.weights = slices.Repeat([]float64{1}, len(q.terms))
	for i, term := range q.terms {
		q.number[term] = uint32(i)
	}
	for _, w := range words {
		q.add(w)
	}
	return q, nil
}

// add makes a word of the query be found.
func (q *Query) add(word string) {
	stem := q.stemOf(word)
	term := q.number[stem]
	for n := max(shortAkin, len(stem)-mostEnding); n < len(stem) && isWord(stem); n++ {
		include(q.akin, stem[:n], term)
	}
	for _, text := range []string{word, stem} {
		if utf8.RuneCountInString(text) >= shortest {
			include(q.longer, text, term)
		}
		if len(text) <= shortest && stem != word { // its last letter may be another one, as in flies and fly
			_, last := utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-last]
		}
		q.worth.add(text)
	}
}

func include(terms map[string][]uint32, text string, term uint32) {
	if !slices.Contains(terms[text], term) {
		terms[text] = append(terms[text], term)
	}
}

// stemOf returns the stem of a folded word. Russian is known by its letters.
func (q *Query) stemOf(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	stem := ""
	switch {
	case len(word) > maxWord/2 || !isWord(word):
	case first < utf8.RuneSelf:
		stem = q.stem(word, true)
	case unicode.Is(unicode.Cyrillic, first):
		stem = russian.Stem(word, true)
	}
	return cmp.Or(stem, word)
}

// isWord reports whether a word has nothing but letters, all of them of ASCII or none.
func isWord(word string) bool {
	isASCII := word[0] < utf8.RuneSelf
	isOther := func(r rune) bool { return r < utf8.RuneSelf != isASCII || !unicode.IsLetter(r) }
	return !strings.ContainsFunc(word, isOther)
}

// match returns which terms a word of a text has to do with, and how much of each it is.
func (q *Query) match(word string) (hits []hit) {
	add := func(term, times uint32) {
		if !slices.ContainsFunc(hits, func(h hit) bool { return h.term == term }) {
			hits = append(hits, hit{term, times})
		}
	}
	stem := q.stemOf(word)
	if term, ok := q.number[stem]; ok {
		add(term, full)
	}
	for _, term := range q.akin[stem] {
		add(term, near)
	}
	for n := shortest; n < len(word); n++ {
		for _, term := range q.longer[word[:n]] {
			add(term, part)
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

// withoutStopWords returns the language that a query is most probably in, and its other words. In doubt that is
// English, which comes first in the list: a word of it, such as war or hat, may be a stop word elsewhere.
func withoutStopWords(words []string) (language string, rest []string) {
	most := 1
	for line := range strings.Lines(stopWordsTxt) {
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
	return language, rest
}

// A counter counts the terms of a query in one text after the other.
type counter struct {
	scanner
	q      *Query
	known  map[string][]hit // of words that were met before
	hits   []hit            // of the text
	place  []int            // of each term in hits, from 1; 0 is none
	weight uint32           // of each word of the part that is read
}

func newCounter(q *Query) *counter {
	c := &counter{q: q, known: make(map[string][]hit), place: make([]int, len(q.terms))}
	c.alphabet, c.worth = theAlphabet(), &q.worth
	c.found = func(word []byte, _ int) { c.add(c.match(word)) }
	return c
}

const maxKnown = 1 << 16 // words that are kept

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

// count counts the words of a part of a text, each for so many, and returns how many it has.
func (c *counter) count(part []byte, weight uint32) int {
	c.weight = weight
	return c.scan(part)
}

// take returns the hits of the text, and begins with another one.
func (c *counter) take() []hit {
	hits := slices.Clone(c.hits)
	for _, h := range hits {
		c.place[h.term] = 0
	}
	c.hits = c.hits[:0]
	return hits
}
