package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/document"
)

const (
	maxExcerpt  = 100 // the characters of a passage
	leadExcerpt = 30  // the characters of it before the found word
)

// A Passage is a line of a handoff with words of the query. It is as untrusted as a body: show it with EscapeLine.
type Passage struct {
	Where string // "body", "tags" or "references"
	Line  int    // the line of the body, 1-based; 0 for tags and references
	Text  string // one line, with … where it was cut
}

// A place is a term in a line.
type place struct {
	at int
	hit
}

// Passages returns the part of a document with the most important terms of the query, as its only passage.
func (q *Query) Passages(doc document.Document) (best []Passage) {
	c := newCounter(q)
	var places []place
	c.found = func(word []byte, at int) {
		for _, h := range c.match(word) {
			places = append(places, place{at, h})
		}
	}
	most := 0.0
	for _, line := range linesOf(doc) {
		places = places[:0]
		c.scan([]byte(line.Text))
		for i, first := range places {
			if worth := q.worthOf(places[i:]); worth > most {
				most = worth
				best = []Passage{{line.Where, line.Line, excerpt(line.Text, first.at)}}
			}
		}
	}
	return best
}

// worthOf returns the total weight of the terms in the excerpt that begins with the first place, each counted once.
func (q *Query) worthOf(places []place) (sum float64) {
	counted := make([]uint32, 0, 64)
	for _, p := range places {
		if p.at > places[0].at+maxExcerpt-leadExcerpt {
			break
		}
		if !slices.Contains(counted, p.term) {
			counted = append(counted, p.term)
			sum += q.weights[p.term] * float64(p.times)
		}
	}
	return sum
}

func linesOf(doc document.Document) (lines []Passage) {
	for text := range strings.Lines(doc.Body) {
		lines = append(lines, Passage{"body", len(lines) + 1, strings.TrimSuffix(text, "\n")})
	}
	for _, tag := range doc.Tags {
		lines = append(lines, Passage{Where: "tags", Text: tag})
	}
	for _, reference := range doc.References {
		lines = append(lines, Passage{Where: "references", Text: reference})
	}
	return lines
}

// excerpt returns the part of a line around an offset.
func excerpt(line string, at int) string {
	from := at
	for range leadExcerpt {
		_, size := utf8.DecodeLastRuneInString(line[:from])
		from -= size
	}
	to := from
	for range maxExcerpt {
		_, size := utf8.DecodeRuneInString(line[to:])
		to += size
	}
	text := strings.TrimSpace(line[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
