package packet

import (
	_ "embed" // for the phrases
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed phrases.txt
var phrasesText string

// phrases has the lists of phrases.txt.
var phrases = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(phrasesText) {
		if list, text, is := strings.Cut(strings.TrimSpace(line), ": "); is {
			all[list] = append(all[list], strings.Split(text, ", ")...)
		}
	}
	return all
})

// folded returns the words of a text in lower case, separated by one space.
func folded(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// isPlaceholder reports whether a text looks like an answer but answers nothing.
func isPlaceholder(text string) bool {
	f := folded(text)
	return f == "" || slices.Contains(phrases()["placeholder"], f)
}

// isNone reports whether a text states that there is nothing.
func isNone(text string) bool { return slices.Contains(phrases()["none"], folded(text)) }
