package handoff

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// words are what is searched for, in lower case, longest first.
type words []string

func newWords(given []string) (words, error) {
	if len(given) == 0 || slices.Contains(given, "") {
		return nil, problem(ErrInvalid, "name what to look for, such as `handoff search deploy`", "there is no word to search for")
	}
	var all words
	for _, w := range given {
		all = append(all, strings.ToLower(w))
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all, nil
}

// without returns the words that has is false for.
func (ws words) without(has func(string) bool) words {
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

// lower appends text in lower case. That of letters beyond ASCII is made only if the words have some.
func (ws words) lower(to, text []byte) []byte {
	for _, w := range ws {
		for i := range len(w) {
			if w[i] >= utf8.RuneSelf {
				return append(to, bytes.ToLower(text)...)
			}
		}
	}
	to = append(to, text...)
	for i, c := range to {
		if 'A' <= c && c <= 'Z' {
			to[i] = c + ('a' - 'A')
		}
	}
	return to
}

// A half is the head or the body of a stored file, in lower case.
type half []byte

// halves cuts a stored file as document.Split does, without looking at anything else of it. Of a file that
// no store wrote everything is head.
func halves(text []byte) (head, body half) {
	if bytes.HasPrefix(text, []byte("---\nschema_version: '")) {
		if end := bytes.Index(text, []byte("\n---\n")); end >= 0 {
			return text[:end], text[end+len("\n---\n"):]
		}
	}
	return text, nil
}

func (h half) has(word string) bool { return bytes.Contains(h, []byte(word)) }

// mayHave reports whether the values of a head can hold the word. Another writer of YAML may have escaped
// it, and quotes are written twice.
func (h half) mayHave(word string) bool {
	return h.has(word) || strings.Contains(word, "'") || !bytes.HasPrefix(h, []byte("---\nschema_version: '"))
}
