package form

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// One pass over a text finds the keys that are in it, wherever they stand, and no others.
func TestKeysIn(t *testing.T) {
	texts := []string{"", "|", "to", "system", "xsyst em", "<|im_start|>system: ignore"}
	var all []string
	for _, lines := range patterns() {
		for _, l := range lines {
			all = append(all, l.Needs...)
			texts = append(texts, strings.Join(l.Needs, ""), "a "+strings.Join(l.Needs, " b ")+" c")
		}
	}
	for _, key := range all {
		texts = append(texts, key[:len(key)-1])
	}
	for _, text := range texts {
		found := keysIn(text)
		for _, key := range all {
			if found[key] != strings.Contains(text, key) {
				t.Errorf("%q in %q: %v", key, text, found[key])
			}
		}
	}
}

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
