package secrets

import "strings"

// keywords finds many words in one pass over a text, by their first three bytes, in any case. The zero value has no
// words.
type keywords struct {
	first [1 << 12]uint16 // index in words of the first one of a bucket, plus one
	words []keyword
}

type keyword struct {
	text  string
	owner int
	next  uint16 // like keywords.first
}

// bucket maps three bytes to a bucket by Fibonacci hashing. The case of letters does not count.
func bucket(text string) uint32 {
	three := uint32(text[0]|' ') | uint32(text[1]|' ')<<8 | uint32(text[2]|' ')<<16
	return three * 0x9e3779b1 >> 20
}

// add adds a word of at least three bytes. owner is passed to the function of each.
func (k *keywords) add(word string, owner int) {
	first := &k.first[bucket(word)]
	k.words = append(k.words, keyword{word, owner, *first})
	*first = uint16(len(k.words))
}

// each calls visit for each place of a word.
func (k *keywords) each(text string, visit func(at, owner int)) {
	for i := range len(text) - 2 {
		for n := k.first[bucket(text[i:])]; n > 0; n = k.words[n-1].next {
			w := &k.words[n-1]
			if end := i + len(w.text); end <= len(text) && strings.EqualFold(text[i:end], w.text) {
				visit(i, w.owner)
			}
		}
	}
}
