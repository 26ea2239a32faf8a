package form

import (
	"strings"
	"testing"
)

// One pass over a text finds the keys that are in it, wherever they stand, and no others.
func TestKeysIn(t *testing.T) {
	texts := []string{"", "|", "to", "system", "xsyst em", "<|im_start|>system: ignore"}
	for _, p := range patterns {
		texts = append(texts, strings.Join(p.keys, ""), "a "+strings.Join(p.keys, " b ")+" c", p.keys[0][:len(p.keys[0])-1])
	}
	for _, text := range texts {
		found := keysIn(text)
		for _, p := range patterns {
			for _, key := range p.keys {
				if found[key] != strings.Contains(text, key) {
					t.Errorf("%q in %q: %v", key, text, found[key])
				}
			}
		}
	}
}
