package secrets

import "strings"

// A filter finds keywords by their first three bytes, in any case. Most places without a keyword cost one bit test.
type filter struct {
	bits   [1 << 10]uint64
	first  [1 << 10]uint16 // index in starts of the first one of a bucket, plus one
	starts []start
	words  []keyword
}

// A start is a possible beginning of a keyword. There are many, and each run that scans for credentials makes them
// all.
type start struct {
	three uint32 // in lower case
	word  uint16 // index of the keyword
	next  uint16 // like filter.first
}

// A keyword is fixed text that each match of a rule contains.
type keyword struct {
	text string
	fold bool
	rule int
}

// fill adds the keywords of all rules. Each of their first three characters is a character, or a class in brackets.
func (f *filter) fill(rules []*rule) {
	f.starts, f.words = make([]start, 0, 1<<11), make([]keyword, 0, 1<<9)
	for i, r := range rules {
		for text := range fields(r.keywords) {
			literal, _, _ := strings.Cut(text, "[")
			f.words = append(f.words, keyword{text: literal, fold: r.fold, rule: i})
			var first [3]string
			for n := range first {
				first[n], text = class(text)
			}
			f.enter(first)
		}
	}
}

// class returns the bytes for the first character of a keyword, with letters in one case only, and the rest.
func class(keyword string) (all, rest string) {
	if keyword[0] != '[' {
		return keyword[:1], keyword[1:]
	}
	in, rest := setOf(keyword)
	bytes := make([]byte, 0, 64)
	for c := range byte(0x80) {
		if in.has(c) && !(letter(c) && c < 'a' && in.has(c|' ')) {
			bytes = append(bytes, c)
		}
	}
	return string(bytes), rest
}

// enter adds starts for all beginnings of the last keyword.
func (f *filter) enter(first [3]string) {
	for _, a := range []byte(first[0]) {
		for _, b := range []byte(first[1]) {
			for _, c := range []byte(first[2]) {
				three := uint32(a|' ') | uint32(b|' ')<<8 | uint32(c|' ')<<16
				h := hash(three)
				f.starts = append(f.starts, start{three, uint16(len(f.words) - 1), f.first[h>>6]})
				f.first[h>>6] = uint16(len(f.starts))
				f.bits[h>>6] |= 1 << (h & 63)
			}
		}
	}
}

// hash maps three bytes to sixteen bits by Fibonacci hashing.
func hash(three uint32) uint32 { return three * 0x9e3779b1 >> 16 }

// each calls visit for each place of a keyword.
func (f *filter) each(text string, visit func(at, rule int)) {
	if len(text) < 3 {
		return
	}
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

// at reports whether text begins with the keyword.
func (k *keyword) at(text string) bool {
	switch {
	case len(text) < len(k.text):
		return false
	case k.fold:
		return strings.EqualFold(text[:len(k.text)], k.text)
	}
	return text[:len(k.text)] == k.text
}
