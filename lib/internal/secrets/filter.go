package secrets

import (
	"strings"
	"sync"
)

// A filter finds keywords by the three bytes that they begin with, in any case: most places where none stands cost
// one look at one bit.
type filter struct {
	bits  [1 << 10]uint64
	first [1 << 10]uint16 // place in words of the first word of a bucket, plus one
	words []keyword
}

type keyword struct {
	text string
	fold bool
	rule int
	next uint16 // as first
}

var keywords = sync.OnceValue(func() *filter {
	f := &filter{}
	for i, r := range rules() {
		for _, text := range r.keywords {
			for _, text := range expand(text) {
				f.add(keyword{text: text, fold: r.fold, rule: i})
			}
		}
	}
	return f
})

// expand returns the words that a keyword with classes such as [0-9a-f] stands for.
func expand(text string) []string {
	before, rest, found := strings.Cut(text, "[")
	if !found {
		return []string{text}
	}
	class, after, _ := strings.Cut(rest, "]")
	var all []string
	for i := 0; i < len(class); i++ {
		last := class[i]
		if i+2 < len(class) && class[i+1] == '-' {
			last = class[i+2]
		}
		for c := class[i]; c <= last; c++ {
			all = append(all, expand(before+string(c)+after)...)
		}
		if last != class[i] {
			i += 2
		}
	}
	return all
}

func (f *filter) add(k keyword) {
	h := hash(uint32(k.text[0]|' ') | uint32(k.text[1]|' ')<<8 | uint32(k.text[2]|' ')<<16)
	k.next = f.first[h>>6]
	f.words = append(f.words, k)
	f.first[h>>6] = uint16(len(f.words))
	f.bits[h>>6] |= 1 << (h & 63)
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
	for i := 2; i < len(text); i++ {
		three = three>>8 | uint32(text[i]|' ')<<16
		h := hash(three)
		if f.bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for n := f.first[h>>6]; n > 0; n = f.words[n-1].next {
			if k := &f.words[n-1]; k.at(text[i-2:]) {
				visit(i-2, k.rule)
			}
		}
	}
}

func (k *keyword) at(text string) bool {
	switch {
	case len(text) < len(k.text):
		return false
	case k.fold:
		return strings.EqualFold(text[:len(k.text)], k.text)
	}
	return text[:len(k.text)] == k.text
}
