package search

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
)

const (
	maxExcerpt  = 100 // the bytes of a passage
	leadExcerpt = 30  // the bytes of it before the found word
)

// A Passage is a line of a handoff with words of the query. It is as untrusted as a body: show it with EscapeLine.
type Passage struct {
	Where string `json:"where"`          // "body", "tags" or "references"
	Line  int    `json:"line,omitempty"` // the line of the body, 1-based; 0 for tags and references
	Text  string `json:"text"`           // one line, with … where it was cut
}

// Passages returns the line of a document with the most important terms of the query, as its only passage.
func (q *Query) Passages(doc document.Document) (best []Passage) {
	c := newCounter(q)
	body, most := strings.Split(doc.Body, "\n"), 0.0
	for i, text := range slices.Concat(body, doc.Tags, doc.References) {
		var all candidate
		at, first := 0, 0.0
		c.count(&all, text, 1)
		c.each(text, func(word []byte, offset int) {
			if worth := q.worth(c.match(word)); worth > first {
				at, first = offset, worth
			}
		})
		if worth := q.worth(all.hits); worth > most {
			line := Passage{"references", 0, excerpt(text, at)}
			if i < len(body) {
				line.Where, line.Line = "body", i+1
			} else if i < len(body)+len(doc.Tags) {
				line.Where = "tags"
			}
			most, best = worth, []Passage{line}
		}
	}
	return best
}

// excerpt returns the part of a line around an offset.
func excerpt(line string, at int) string {
	from, to := max(0, at-leadExcerpt), min(len(line), at+maxExcerpt-leadExcerpt)
	text := strings.TrimSpace(strings.ToValidUTF8(line[from:to], ""))
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
