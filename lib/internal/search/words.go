package search

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxWord is the number of bytes of a word that count.
const maxWord = 64

// A splitter has memory for splitting texts into words.
type splitter struct{ word []byte }

// each calls visit with each word of a text, which it must not keep, and its offset, and returns their number. A word
// is a run of letters and digits, without case and accents. In scripts without spaces, and for pictographs such as
// emoji, each sign is a word, and so is each pair of adjacent signs.
func (s *splitter) each(text string, visit func(word []byte, at int)) (count int) {
	s.word = s.word[:0]
	start, last := 0, -1 // of the word, and of the sign just before
	end := func() {
		if len(s.word) > 0 {
			visit(s.word, start)
			s.word = s.word[:0]
			count++
		}
	}
	for i, r := range text {
		kind, letters := glyph(r)
		switch {
		case kind == ignored:
			continue
		case letters == "":
			end()
		case len(s.word) == 0:
			start = i
			fallthrough
		case len(s.word) < maxWord:
			s.word = append(s.word, letters...)
		}
		if kind != sign {
			last = -1
			continue
		}
		to := i + utf8.RuneLen(r)
		if last >= 0 {
			visit(append(s.word, text[last:to]...), last)
		}
		visit(append(s.word, text[i:to]...), i)
		last = i
		count++
	}
	end()
	return count
}

// The kinds of characters. One without letters is between words.
const (
	letter  = iota // a letter or digit
	sign           // a word by itself
	ignored        // separate accents, direction marks, joiners
)

//go:embed letters.txt
var lettersTxt string

// folded returns the folded forms in letters.txt. They have no ASCII character.
var folded = sync.OnceValue(func() map[rune]string {
	forms := make(map[rune]string)
	for line := range strings.Lines(lettersTxt) {
		text, letters, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, r := range letters {
			forms[r] = text
		}
	}
	return forms
})

// glyph returns the kind of a character, and the letters by which it is found.
func glyph(r rune) (kind int, letters string) {
	if r >= utf8.RuneSelf {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar), r == 'ー', r == 'ｰ', unicode.Is(unicode.So, r) && r != utf8.RuneError:
			return sign, ""
		// Sk has the colors of hands.
		case unicode.In(r, unicode.Inherited, unicode.Cf), r > '\u3100' && unicode.Is(unicode.Sk, r):
			return ignored, ""
		}
		if letters, ok := folded()[unicode.ToLower(r)]; ok {
			return letter, letters
		}
	}
	if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
		return letter, string(unicode.ToLower(r))
	}
	return letter, ""
}
