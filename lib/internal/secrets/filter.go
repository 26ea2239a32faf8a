package secrets

import (
	"strings"
	"sync"
)

// A filter finds keywords by the three bytes that they begin with, in any case: most places where none
// stands cost one look at one bit.
type filter struct {
	bits  [1 << 10]uint64
	first [1 << 10]uint16 // place in words of the first word of a bucket, plus one
	words []keyword
}

// A keyword is a text without which a rule cannot match, in a table that is searched by its first three
// characters.
type keyword struct {
	text  string
	three uint32 // what it begins with, in small letters
	fold  bool
	rule  int
	next  uint16 // as first
}

var keywords = sync.OnceValue(func() *filter {
	f := &filter{words: make([]keyword, 0, 1<<11)}
	for i, r := range rules() {
		for _, text := range r.keywords {
			literal, _, _ := strings.Cut(text, "[")
			var sets [3]string
			for n := range sets {
				sets[n], text = class(text)
			}
			f.add(keyword{text: literal, fold: r.fold, rule: i}, sets)
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

// add enters a keyword under all that it may begin with.
func (f *filter) add(k keyword, sets [3]string) {
	for _, a := range []byte(sets[0]) {
		for _, b := range []byte(sets[1]) {
			for _, c := range []byte(sets[2]) {
				k.three = uint32(a|' ') | uint32(b|' ')<<8 | uint32(c|' ')<<16
				h := hash(k.three)
				k.next = f.first[h>>6]
				f.words = append(f.words, k)
				f.first[h>>6] = uint16(len(f.words))
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
		for n := f.first[h>>6]; n > 0; n = f.words[n-1].next {
			if k := &f.words[n-1]; k.three == three && k.at(text[i:]) {
				visit(i, k.rule)
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
