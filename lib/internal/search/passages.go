package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/document"
)

const (
	maxPassages = 3
	maxExcerpt  = 100 // the characters of one passage
	leadExcerpt = 30  // the characters of it before the found word
)

// A Passage is a line of a handoff with words of the query. It is as untrusted as a body: show it with EscapeLine.
type Passage struct {
	Where string // "body", "tags" or "references"
	Line  int    // the line of the body, 1-based; 0 for tags and references
	Text  string // one line, with … where it was cut
}

// A place is a term in a line of a document.
type place struct {
	line int // the index of the line
	at   int
	hit
}

// Passages returns the most relevant lines of a document. The first has the most important terms, each next one the
// most important terms that no earlier one has.
func (q *Query) Passages(doc document.Document) (all []Passage) {
	lines := linesOf(doc)
	places := q.places(lines)
	left := slices.Clone(q.weights) // the weights of terms without a passage
	for len(all) < maxPassages {
		best, most := 0, 0.0
		for i := range places {
			if worth := worth(window(places[i:]), left); worth > most {
				best, most = i, worth
			}
		}
		if most == 0 {
			break
		}
		for _, p := range window(places[best:]) {
			left[p.term] = 0
		}
		p := lines[places[best].line]
		p.Text = excerpt(p.Text, places[best].at)
		all = append(all, p)
	}
	return all
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

func (q *Query) places(lines []Passage) (places []place) {
	c := newCounter(q)
	for i, line := range lines {
		c.found = func(word []byte, at int) {
			for _, h := range c.match(word) {
				places = append(places, place{i, at, h})
			}
		}
		c.scan([]byte(line.Text))
	}
	return places
}

// window returns the places in the excerpt that begins with the first of them.
func window(places []place) []place {
	for n, p := range places {
		if p.line != places[0].line || p.at > places[0].at+maxExcerpt-leadExcerpt {
			return places[:n]
		}
	}
	return places
}

// worth returns the total weight of the terms of some places, each counted once. It restores the weights.
func worth(places []place, weights []float64) (sum float64) {
	counted := make([]float64, 0, 64)
	for _, p := range places {
		counted = append(counted, weights[p.term])
		sum += weights[p.term] * float64(p.times)
		weights[p.term] = 0
	}
	for i, p := range slices.Backward(places) {
		weights[p.term] = counted[i]
	}
	return sum
}

// excerpt returns the part of a line around an offset.
func excerpt(line string, at int) string {
	from, to := at, at
	for n := 0; n < leadExcerpt && from > 0; n++ {
		from = before(line, from)
	}
	for n := utf8.RuneCountInString(line[from:at]); n < maxExcerpt && to < len(line); n++ {
		_, size := utf8.DecodeRuneInString(line[to:])
		to += size
	}
	for n := utf8.RuneCountInString(line[from:to]); n < maxExcerpt && from > 0; n++ {
		from = before(line, from)
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

func before(line string, at int) int {
	_, size := utf8.DecodeLastRuneInString(line[:at])
	return at - size
}
