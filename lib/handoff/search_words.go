package handoff

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// words are what is searched for, longest first.
type words []word

// A word is in lower case. In texts it is found in upper case too.
type word struct {
	text  string
	pivot int // the place of its rarest letter; -1 if some are beyond ASCII
}

func newWords(given []string) (words, error) {
	if len(given) == 0 || slices.Contains(given, "") {
		return nil, problem(ErrInvalid, "name what to look for, such as `handoff search deploy`", "there is no word to search for")
	}
	var all words
	for _, w := range given {
		all = append(all, newWord(w))
	}
	slices.SortStableFunc(all, func(a, b word) int { return len(b.text) - len(a.text) })
	return all, nil
}

// byFrequency has what is frequent in texts, most frequent first. What it lacks is rare.
const byFrequency = " etaoinsrhldcumfpgwyb-vk.xjqz"

func newWord(given string) word {
	w := word{text: strings.ToLower(given)}
	rarity := func(c byte) int { return strings.IndexByte(byFrequency, c) }
	for i := range len(w.text) {
		switch c, best := w.text[i], w.text[w.pivot]; {
		case c >= utf8.RuneSelf:
			return word{w.text, -1}
		case rarity(best) >= 0 && (rarity(c) < 0 || rarity(c) > rarity(best)):
			w.pivot = i
		}
	}
	return w
}

// in reports whether text holds the word.
func (w word) in(text []byte) bool {
	if w.pivot < 0 {
		return bytes.Contains(bytes.ToLower(text), []byte(w.text))
	}
	c := w.text[w.pivot]
	return w.with(c, text) || 'a' <= c && c <= 'z' && w.with(c-('a'-'A'), text)
}

func (w word) inRow(e Entry) bool {
	return w.inAny([]string{e.From, e.To, e.Topic, e.Time})
}

func (w word) inAny(texts []string) bool {
	for _, text := range texts {
		if w.in([]byte(text)) {
			return true
		}
	}
	return false
}

// with reports whether text holds the word with c as its rarest letter. It looks at no other place than where c is.
func (w word) with(c byte, text []byte) bool {
	for at := w.pivot; at < len(text); at++ {
		next := bytes.IndexByte(text[at:], c)
		if next < 0 {
			return false
		}
		at += next
		if w.begins(text[at-w.pivot:]) {
			return true
		}
	}
	return false
}

func (w word) begins(text []byte) bool {
	if len(text) < len(w.text) {
		return false
	}
	for i, c := range text[:len(w.text)] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != w.text[i] {
			return false
		}
	}
	return true
}

// without returns the words that has is false for.
func (ws words) without(has func(word) bool) words {
	for i, w := range ws {
		if !has(w) {
			continue
		}
		rest := slices.Clone(ws[:i])
		for _, w := range ws[i+1:] {
			if !has(w) {
				rest = append(rest, w)
			}
		}
		return rest
	}
	return ws
}

// halves cuts a stored file as document.Split does, without looking at anything else of it. Of a file that
// no store wrote everything is head.
func halves(text []byte) (head, body []byte) {
	if isOurs(text) {
		if end := bytes.Index(text, []byte("\n---\n")); end >= 0 {
			return text[:end], text[end+len("\n---\n"):]
		}
	}
	return text, nil
}

func isOurs(text []byte) bool { return bytes.HasPrefix(text, []byte("---\nschema_version: '")) }

// mayBeIn reports whether the values of a head can hold all words. Another writer of YAML may have escaped
// them, and quotes are written twice.
func (ws words) mayBeIn(head []byte) bool {
	if !isOurs(head) {
		return true
	}
	for _, w := range ws {
		if !w.in(head) && !strings.Contains(w.text, "'") {
			return false
		}
	}
	return true
}
