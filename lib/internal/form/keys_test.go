package form

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// Every expression of the lists compiles, has a word that it needs, and every code point is one.
func TestLists(t *testing.T) {
	n := 0
	for _, group := range []string{"bypass", "destroy", "secrets", "obey"} {
		for _, l := range dangers()[group] {
			if n++; l.needs == nil || l.pattern().NumSubexp() != 2 {
				t.Errorf("%s: no words, or another group, in %s", group, l.text)
			}
		}
	}
	if n == 0 || n > 40 {
		t.Errorf("%d patterns of dangerous instructions", n)
	}
	for name := range unicodeLists() {
		for _, word := range unicodeLists().words(name) {
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
