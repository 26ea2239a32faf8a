package search

import (
	_ "embed"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// A scanner splits text into words. A word is a run of letters and digits, folded: without case and accents. In
// scripts without spaces, and for pictographs such as emoji, each sign is a word, and so is each pair of adjacent
// signs.
type scanner struct {
	*alphabet
	worth *beginnings               // the words to report; nil means all
	found func(word []byte, at int) // called with each word, which it must not keep, and its offset
	pairs bool                      // do not report a sign alone if it is part of a pair

	word []byte
	both []byte // memory for a pair

	run    int  // the number of adjacent signs
	last   rune // the last sign
	lastAt int
}

// maxWord is the number of bytes of a word that count.
const maxWord = 64

// beginnings is a set of beginnings of words. It uses five bits of each of the first three bytes, which are the same
// for both cases of an ASCII letter. It may contain more than was added.
type beginnings [1 << 15]bool

func beginningOf(word []byte) (n int) {
	if len(word) > 0 {
		n = int(word[0]&31) << 10
	}
	if len(word) > 1 {
		n |= int(word[1]&31) << 5
	}
	if len(word) > 2 {
		n |= int(word[2] & 31)
	}
	return n
}

// add adds all words that begin with text.
func (b *beginnings) add(text string) {
	first := beginningOf([]byte(text))
	for i := range 1 << (5 * max(0, 3-len(text))) {
		b[first+i] = true
	}
}

// scan reports the words of a text, and returns their number. It reads ASCII byte by byte, without copying: most text
// of a large store is ASCII.
func (s *scanner) scan(text []byte) (words int) {
	kinds := &s.ascii
	for i := 0; i < len(text); {
		if kinds[text[i]] == gap {
			i++
			continue
		}
		start := i
		for i < len(text) && kinds[text[i]] == letter {
			i++
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			end, n := s.wide(text, start)
			i, words = end, words+n
			continue
		}
		words++
		if s.worth == nil || s.worth[beginningOf(text[start:i])] {
			s.word = s.word[:0]
			for _, c := range text[start:min(i, start+maxWord)] {
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				s.word = append(s.word, c)
			}
			s.found(s.word, start)
		}
	}
	return words
}

// wide continues at the beginning of a word with non-ASCII letters, until neither a word nor a run of signs
// continues.
func (s *scanner) wide(text []byte, at int) (end, words int) {
	s.word, s.run = s.word[:0], 0
	for start := at; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch g := s.glyph(r); g.kind {
		case gap:
			return at + size, words + s.endWord(start) + s.endRun()
		case sign:
			words += s.endWord(start)
			s.sign(r, at)
		case letter:
			words += s.endRun()
			if len(s.word) == 0 {
				start = at
			}
			if len(s.word) < maxWord {
				s.word = append(s.word, g.text...)
			}
		}
		if at += size; at == len(text) {
			words += s.endWord(start) + s.endRun()
		}
	}
	return at, words
}

func (s *scanner) endWord(start int) int {
	if len(s.word) == 0 {
		return 0
	}
	s.tell(s.word, start)
	s.word = s.word[:0]
	return 1
}

// sign reports a sign, and its pair with the sign before it.
func (s *scanner) sign(r rune, at int) {
	if s.run > 0 {
		s.tell(utf8.AppendRune(utf8.AppendRune(s.both[:0], s.last), r), s.lastAt)
	}
	if !s.pairs {
		s.tell(utf8.AppendRune(s.both[:0], r), at)
	}
	s.run, s.last, s.lastAt = s.run+1, r, at
}

func (s *scanner) endRun() int {
	n := s.run
	if n == 1 && s.pairs {
		s.tell(utf8.AppendRune(s.both[:0], s.last), s.lastAt)
	}
	s.run = 0
	return n
}

func (s *scanner) tell(word []byte, at int) {
	if s.worth == nil || s.worth[beginningOf(word)] {
		s.found(word, at)
	}
}

// A kind is the role of a character in words.
type kind uint8

const (
	gap    kind = iota // not part of a word
	letter             // a letter or digit
	sign               // a word by itself
	none               // ignored: separate accents, direction marks, joiners
)

// A glyph is a character as it is searched.
type glyph struct {
	kind kind
	text string // the folded letter
}

// An alphabet has the glyphs of all characters. Most searches meet few of them.
type alphabet struct {
	ascii [256]kind                     // by byte; bytes of other characters are none
	low   [lowest]atomic.Pointer[glyph] // those that were met
}

const lowest = 0x3100 // characters below it are in a table, including Thai and Japanese

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

var theAlphabet = sync.OnceValue(func() *alphabet {
	a := &alphabet{}
	for i := range a.ascii {
		if a.ascii[i] = none; i < utf8.RuneSelf {
			a.ascii[i] = judge(rune(i)).kind
		}
	}
	return a
})

func (a *alphabet) glyph(r rune) glyph {
	switch {
	case r < lowest:
		if g := a.low[r].Load(); g != nil {
			return *g
		}
		g := judge(r)
		a.low[r].Store(&g)
		return g
	case 0x4e00 <= r && r < 0xa000: // the most frequent characters above it
		return glyph{kind: sign}
	}
	return judge(r)
}

func judge(r rune) glyph {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
		unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar), r == 'ー', r == 'ｰ',
		unicode.Is(unicode.So, r) && r != utf8.RuneError:
		return glyph{kind: sign}
	case unicode.In(r, unicode.Inherited, unicode.Cf), unicode.Is(unicode.Sk, r) && r >= lowest:
		return glyph{kind: none}
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
		if r = unicode.ToLower(r); r >= utf8.RuneSelf {
			if text, ok := folded()[r]; ok {
				return glyph{letter, text}
			}
		}
		return glyph{letter, string(r)}
	}
	return glyph{}
}
