package form

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// Every expression of the lists compiles, has a word that it needs, and every code point is one.
func TestLists(t *testing.T) {
	for name, lines := range patterns() {
		for _, l := range lines {
			if l.Pattern(); l.Needs == nil && name != "lifted" && name != "bounds" && name != "of" && name != "begins" && name != "between" {
				t.Errorf("%s: no words for %s", name, l.Text)
			}
		}
	}
	for name := range unicodeLists() {
		for _, word := range unicodeLists().Words(name) {
			if unicode.Scripts[word] != nil {
				continue
			}
			low, high, _ := strings.Cut(word, "-")
			if _, err := strconv.ParseUint(low, 16, 32); err != nil || high != "" && high <= low && len(high) <= len(low) {
				t.Errorf("%s: %s", name, word)
			}
		}
	}
}
