// Package words finds words in texts, upper and lower case being the same, and the passages that show
// them. It looks for the rarest letter of a word first, and of a stored file it parses no more than it
// must.
package words

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Words are what is searched for, longest first.
type Words []Word

// A Word is found in upper and lower case: its letters and those of a text are the same if Unicode folds them
// to each other, one by one.
type Word struct {
	given string
	runes []rune   // folded
	pivot int      // the place of its rarest letter in runes
	forms [][]byte // of that letter
}

// New returns the words to look for. None, or a blank one, is ErrInvalid.
func New(given []string) (Words, error) {
	isBlank := func(w string) bool { return strings.TrimSpace(w) == "" }
	if len(given) == 0 || slices.ContainsFunc(given, isBlank) {
		return nil, fault.New(fault.ErrInvalid, "name what to look for, such as `handoff search deploy`",
			"there is no word to search for")
	}
	var all Words
	for _, w := range given {
		all = append(all, One(w))
	}
	slices.SortStableFunc(all, func(a, b Word) int { return len(b.given) - len(a.given) })
	return all, nil
}

// byFrequency has what is frequent in texts, most frequent first. What it lacks is rare.
const byFrequency = " etaoinsrhldcumfpgwyb-vk.xjqz"

// One returns one word to look for.
func One(given string) Word {
	w := Word{given: given, runes: []rune(given)}
	rarest := -1
	for i, r := range w.runes {
		w.runes[i] = fold(r)
		rarity := strings.IndexRune(byFrequency, w.runes[i])
		if rarity < 0 {
			rarity = len(byFrequency)
		}
		if rarity > rarest {
			rarest, w.pivot = rarity, i
		}
	}
	w.forms = formsOf(w.runes[w.pivot])
	return w
}

// fold returns the same for all forms of a letter.
func fold(r rune) rune {
	switch {
	case r >= utf8.RuneSelf:
		return foldWide(r)
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	}
	return r
}

func foldWide(r rune) rune {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f < r {
			return fold(f)
		}
	}
	return r
}

// formsOf returns the letters that fold to r: for k these are k, K and the sign for Kelvin.
func formsOf(r rune) [][]byte {
	forms := [][]byte{utf8.AppendRune(nil, r)}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		forms = append(forms, utf8.AppendRune(nil, f))
	}
	return forms
}

// In reports whether text holds the word.
func (w Word) In(text []byte) bool {
	return slices.ContainsFunc(w.forms, func(form []byte) bool { return w.with(form, text) >= 0 })
}

// first returns where text first holds the word, -1 if nowhere.
func (w Word) first(text []byte) int {
	first := -1
	for _, form := range w.forms {
		if at := w.with(form, text); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// InAny reports whether one of the texts holds the word.
func (w Word) InAny(texts []string) bool {
	for _, text := range texts {
		if w.In([]byte(text)) {
			return true
		}
	}
	return false
}

// with returns where text first holds the word with this form of its rarest letter, -1 if nowhere. It
// looks at no other place than where that is.
func (w Word) with(form, text []byte) int {
	for at := 0; ; at += len(form) {
		next := bytes.Index(text[at:], form)
		if next < 0 {
			return -1
		}
		at += next
		if start := w.start(text[:at]); start >= 0 && w.goesOn(text[at+len(form):]) {
			return start
		}
	}
}

// start returns where the part of the word before its rarest letter begins at the end of text, -1 if
// it is not there.
func (w Word) start(text []byte) int {
	for _, want := range slices.Backward(w.runes[:w.pivot]) {
		r, size := utf8.DecodeLastRune(text)
		if size == 0 || fold(r) != want {
			return -1
		}
		text = text[:len(text)-size]
	}
	return len(text)
}

// goesOn reports whether text begins with the part of the word after its rarest letter.
func (w Word) goesOn(text []byte) bool {
	for _, want := range w.runes[w.pivot+1:] {
		r, size := utf8.DecodeRune(text)
		if size == 0 || fold(r) != want {
			return false
		}
		text = text[size:]
	}
	return true
}

// Without returns the words that has is false for.
func (ws Words) Without(has func(Word) bool) Words {
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

// Halves cuts a stored file as document.Split does, without looking at anything else of it. Of a file that
// no store wrote everything may be head, or the head and the beginning of the body.
func Halves(text []byte) (head, body []byte) {
	if isRendered(text) {
		if end := bytes.Index(text, []byte("\n---\n")); end >= 0 {
			return text[:end], text[end+len("\n---\n"):]
		}
	}
	return text, nil
}

func isRendered(text []byte) bool { return bytes.HasPrefix(text, []byte("---\nschema_version: '")) }

// MayBeIn reports whether the values of a head can hold all words. Another writer of YAML may have escaped
// them, and quotes are written twice.
func (ws Words) MayBeIn(head []byte) bool {
	if !isRendered(head) {
		return true
	}
	for _, w := range ws {
		if !w.In(head) && !strings.Contains(w.given, "'") {
			return false
		}
	}
	return true
}
