package secrets

import (
	"strings"
	"sync"
)

// A filter finds keywords by the three bytes that they begin with, in any case: most places where none
// stands cost one look at one bit.
type filter struct {
	bits   [1 << 10]uint64
	first  [1 << 10]uint16 // place in starts of the first one of a bucket, plus one
	starts []start
	words  []keyword
}

// A start is what a keyword may begin with. There are many, and all are made in each run that looks for credentials.
type start struct {
	three uint32 // in small letters
	word  uint16 // place of the keyword
	next  uint16 // as first
}

// A keyword is a text without which a rule cannot match.
type keyword struct {
	text string
	fold bool
	rule int
}

var keywords = sync.OnceValue(func() *filter {
	f := &filter{starts: make([]start, 0, 1<<11), words: make([]keyword, 0, 1<<9)}
	for i, r := range rules() {
		for _, text := range r.keywords {
			literal, _, _ := strings.Cut(text, "[")
			var sets [3]string
			for n := range sets {
				sets[n], text = class(text)
			}
			f.words = append(f.words, keyword{text: literal, fold: r.fold, rule: i})
			f.add(sets)
		}
	}
	return f
})

// class returns the characters that a keyword may begin with, which are one or stand in brackets, each
// in one case alone, and its rest.
func class(keyword string) (set, rest string) {
	if keyword[0] != '[' {
		return keyword[:1], keyword[1:]
	}
	inside, rest, _ := strings.Cut(keyword[1:], "]")
	for i, first := range []byte(inside) {
		last := first
		if first == '-' {
			first, last = inside[i-1], inside[i+1]
		}
		for c := first; c <= last; c++ {
			if strings.IndexByte(set, c|' ') < 0 {
				set += string(c | ' ')
			}
		}
	}
	return set, rest
}

// add enters the last keyword under all that it may begin with.
func (f *filter) add(sets [3]string) {
	for _, a := range []byte(sets[0]) {
		for _, b := range []byte(sets[1]) {
			for _, c := range []byte(sets[2]) {
				three := uint32(a|' ') | uint32(b|' ')<<8 | uint32(c|' ')<<16
				h := hash(three)
				f.starts = append(f.starts, start{three, uint16(len(f.words) - 1), f.first[h>>6]})
				f.first[h>>6] = uint16(len(f.starts))
				f.bits[h>>6] |= 1 << (h & 63)
			}
		}
	}
}

// hash takes three bytes to sixteen bits: Fibonacci hashing.
func hash(three uint32) uint32 { return three * 0x9e3779b1 >> 16 }

// each calls visit for every place where a keyword of a rule stands.
func each(text string, visit func(at, rule int)) {
	if len(text) < 3 {
		return
	}
	f := keywords()
	three := uint32(text[0]|' ')<<8 | uint32(text[1]|' ')<<16
	for i := range len(text) - 2 {
		three = three>>8 | uint32(text[i+2]|' ')<<16
		h := hash(three)
		if f.bits[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		for n := f.first[h>>6]; n > 0; n = f.starts[n-1].next {
			if s := &f.starts[n-1]; s.three == three && f.words[s.word].at(text[i:]) {
				visit(i, f.words[s.word].rule)
			}
		}
	}
}

// at reports whether a text begins with the keyword.
func (k *keyword) at(text string) bool {
	switch {
	case len(text) < len(k.text):
		return false
	case k.fold:
		return strings.EqualFold(text[:len(k.text)], k.text)
	}
	return text[:len(k.text)] == k.text
}
