package secrets

import (
	"strings"
	"sync"
)

// A filter finds keywords by the two bytes they begin with.
type filter struct {
	bucket   [1 << 16]uint8 // first two bytes → index into keywords, 0 for none
	keywords [][]keyword
}

type keyword struct {
	text  string
	fold  bool
	rules []int
}

var keywords = sync.OnceValue(func() *filter {
	f := &filter{keywords: make([][]keyword, 1)}
	for i := range table {
		for _, k := range table[i].keywords {
			f.add(keyword{k, table[i].fold, []int{i}})
		}
	}
	return f
})

// add enters a keyword under its first two bytes, in both cases where the rule folds them.
func (f *filter) add(k keyword) {
	for _, first := range cases(k.text[0], k.fold) {
		for _, second := range cases(k.text[1], k.fold) {
			pair := int(first)<<8 | int(second)
			if f.bucket[pair] == 0 {
				f.bucket[pair] = uint8(len(f.keywords))
				f.keywords = append(f.keywords, nil)
			}
			f.keywords[f.bucket[pair]] = append(f.keywords[f.bucket[pair]], k)
		}
	}
}

func cases(c byte, fold bool) []byte {
	if fold && 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// each calls visit for every place where a keyword stands, with the rules that it may begin.
func each(text string, visit func(at int, rules []int)) {
	f := keywords()
	for i := 0; i+1 < len(text); i++ {
		b := f.bucket[int(text[i])<<8|int(text[i+1])]
		if b == 0 {
			continue
		}
		for _, k := range f.keywords[b] {
			if k.at(text, i) {
				visit(i, k.rules)
			}
		}
	}
}

func (k keyword) at(text string, i int) bool {
	if len(text)-i < len(k.text) {
		return false
	}
	if k.fold {
		return strings.EqualFold(text[i:i+len(k.text)], k.text)
	}
	return strings.HasPrefix(text[i:], k.text)
}
