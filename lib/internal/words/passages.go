package words

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/document"
)

const (
	maxPassages = 3
	maxExcerpt  = 100 // characters of one passage
	leadExcerpt = 30  // of them before what was found
)

// A Passage is text of a handoff around what was searched for. It is as untrusted as a body: show it
// through EscapeLine.
type Passage struct {
	Where string // "body", "tags" or "references"
	Line  int    // of the body, 1-based; 0 elsewhere
	Text  string // one line, with … where it was cut
}

// Passages returns the first places of a document that show the words: first those that show a word which
// no other place has shown.
func (ws Words) Passages(doc document.Document) []Passage {
	var all []Passage
	rest := ws
	add := func(where string, line int, text string) {
		for len(rest) > 0 && len(all) < maxPassages {
			shown, left := rest.excerpt(text)
			if shown == "" {
				return
			}
			all = append(all, Passage{where, line, shown})
			rest = left
		}
	}
	line := 0
	for text := range strings.Lines(doc.Body) {
		if line++; len(rest) == 0 || len(all) == maxPassages {
			break
		}
		add("body", line, strings.TrimSuffix(text, "\n"))
	}
	for _, tag := range doc.Tags {
		add("tags", 0, tag)
	}
	for _, reference := range doc.References {
		add("references", 0, reference)
	}
	return all
}

// excerpt returns the part of a line that shows the first of the words in it, "" if it holds none, and
// the words that it does not show.
func (ws Words) excerpt(line string) (text string, rest Words) {
	first := len(line)
	for _, w := range ws {
		if at := w.first([]byte(line)); at >= 0 {
			first = min(first, at)
		}
	}
	if first == len(line) {
		return "", ws
	}
	runes := []rune(line)
	from := max(0, utf8.RuneCountInString(line[:first])-leadExcerpt)
	if from+maxExcerpt > len(runes) {
		from = max(0, len(runes)-maxExcerpt)
	}
	to := min(len(runes), from+maxExcerpt)
	text = strings.TrimSpace(string(runes[from:to]))
	rest = ws.Without(func(w Word) bool { return w.In([]byte(text)) || w.first([]byte(line)) == first })
	if from > 0 {
		text = "…" + text
	}
	if to < len(runes) {
		text += "…"
	}
	return text, rest
}
