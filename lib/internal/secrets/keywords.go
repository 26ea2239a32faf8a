package secrets

import "strings"

// keywords finds many words in one pass over a text, by their first three bytes, in any case. Most places without a
// word cost one bit test. The zero value has no words.
type keywords struct {
	bits   [1 << 10]uint64
	first  [1 << 10]uint16 // index in starts of the first one of a bucket, plus one
	starts []start
	words  []keyword
}

// A start is a possible beginning of a word.
type start struct {
	three uint32 // in lower case
	word  uint16 // index of the word
	next  uint16 // like keywords.first
}

type keyword struct {
	text    string
	anyCase bool
	owner   int
}

// grow makes room for words with that many beginnings.
func (k *keywords) grow(words, starts int) {
	k.words, k.starts = make([]keyword, 0, words), make([]start, 0, starts)
}

// add adds a word. first has the bytes with which it can begin, in three places: the word itself can be shorter, or
// have only one of the beginnings. owner is passed to the function of each.
func (k *keywords) add(word string, first [3]string, anyCase bool, owner int) {
	k.words = append(k.words, keyword{word, anyCase, owner})
	for _, a := range []byte(first[0]) {
		for _, b := range []byte(first[1]) {
			for _, c := range []byte(first[2]) {
				three := uint32(a|' ') | uint32(b|' ')<<8 | uint32(c|' ')<<16
				h := hash(three)
				k.starts = append(k.starts, start{three, uint16(len(k.words) - 1), k.first[h>>6]})
				k.first[h>>6] = uint16(len(k.starts))
				k.bits[h>>6] |= 1 << (h & 63)
			}
		}
	}
}

// hash maps three bytes to sixteen bits by Fibonacci hashing.
func hash(three uint32) uint32 { return three * 0x9e3779b1 >> 16 }

// each calls visit for each place of a word.
func (k *keywords) each(text string, visit func(at, owner int)) {
	if len(text) < 3 {
		return
	}
	three := uint32(text[0]|' ')<<8 | uint32(text[1]|' ')<<16
	for i := range len(text) - 2 {
		three = three>>8 | uint32(text[i+2]|' ')<<16
		h := hash(three)
		if k.bits[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		for n := k.first[h>>6]; n > 0; n = k.starts[n-1].next {
			if s := &k.starts[n-1]; s.three == three && k.words[s.word].begins(text[i:]) {
				visit(i, k.words[s.word].owner)
			}
		}
	}
}

// begins reports whether text begins with the word.
func (w *keyword) begins(text string) bool {
	switch {
	case len(text) < len(w.text):
		return false
	case w.anyCase:
		return strings.EqualFold(text[:len(w.text)], w.text)
	}
	return text[:len(w.text)] == w.text
}
