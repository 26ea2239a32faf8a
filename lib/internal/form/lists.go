package form

import (
	_ "embed" // for the sets of characters
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Pattern returns a regular expression of the program, compiled at its first use: most runs use none.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Data returns a function that returns a JSON file of the program, which it reads at the first call. The file is valid:
// the tests of the package that embeds it need its content.
func Data[T any](file []byte) func() T {
	return sync.OnceValue(func() (data T) {
		_ = json.Unmarshal(file, &data)
		return data
	})
}

// A line is a line of a list: words, or a regular expression.
type line struct {
	needs   []string // each match contains one of them, in lower case; nil if that is unknown
	text    string
	pattern func() *regexp.Regexp // of text, compiled at the first use
}

// canMatch reports whether a text in lower case has one of the words that each match contains.
func (l line) canMatch(lower string) bool {
	return slices.ContainsFunc(l.needs, func(word string) bool { return strings.Contains(lower, word) })
}

// lists are lists of lines by name.
type lists map[string][]line

// readLists reads lists, which are a part of the program. Lines that begin with # are comments, each other line adds
// to the list that it names:
//
//	NAME: TEXT
//	NAME [WORD, WORD]: TEXT
//
// The words in brackets are line.needs. {NAME} in an expression inserts the first line of that list. edit changes each
// expression before it is compiled.
func readLists(text string, edit func(expr string) string) lists {
	all := lists{}
	for said := range strings.Lines(text) {
		name, text, isLine := strings.Cut(strings.TrimSuffix(said, "\n"), ": ")
		if !isLine || strings.HasPrefix(said, "#") {
			continue
		}
		l := line{text: text}
		if list, needs, some := strings.Cut(strings.TrimSuffix(name, "]"), " ["); some {
			name, l.needs = list, strings.Split(needs, ", ")
		}
		l.pattern = sync.OnceValue(func() *regexp.Regexp {
			for name, lines := range all {
				text = strings.ReplaceAll(text, "{"+name+"}", lines[0].text)
			}
			return regexp.MustCompile(edit(text))
		})
		all[name] = append(all[name], l)
	}
	return all
}

// words returns all words of a list.
func (l lists) words(list string) (words []string) {
	for _, line := range l[list] {
		words = append(words, strings.Fields(line.text)...)
	}
	return words
}

//go:embed unicode.txt
var unicodeText string
var unicodeLists = sync.OnceValue(func() lists { return readLists(unicodeText, nil) })

// setOf returns a function that returns a set of unicode.txt, which it reads at the first call.
func setOf(name string) func() *unicode.RangeTable {
	return sync.OnceValue(func() *unicode.RangeTable {
		set := &unicode.RangeTable{}
		for _, word := range unicodeLists().words(name) {
			low, high, isRange := strings.Cut(word, "-")
			if !isRange {
				high = low
			}
			first, _ := strconv.ParseUint(low, 16, 32) // a test reads every word
			last, _ := strconv.ParseUint(high, 16, 32)
			if last <= 0xffff {
				set.R16 = append(set.R16, unicode.Range16{Lo: uint16(first), Hi: uint16(last), Stride: 1})
			} else {
				set.R32 = append(set.R32, unicode.Range32{Lo: uint32(first), Hi: uint32(last), Stride: 1})
			}
		}
		return set
	})
}

// The sets of unicode.txt.
var (
	pictographic = setOf("pictographic")
	viramas      = setOf("viramas")
	dualJoining  = setOf("dual-joining")
	rightJoining = setOf("right-joining")
	invisible    = setOf("invisible")
)
