package form

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	variation16 = '\ufe0f' // requests the emoji form of the character before it
	keycap      = '\u20e3' // COMBINING ENCLOSING KEYCAP
)

// maxElements is the maximum number of emoji in a joined sequence: twice that of the longest one in Unicode. It
// limits joiners.
const maxElements = 8

// emojiLen returns the length in bytes of the longest well-formed emoji sequence at the start of text (UTS #51 ED-16
// without tags and flags). text must begin with a pictographic character.
func emojiLen(text string) int {
	n := elementLen(text)
	for range maxElements - 1 {
		next, ok := strings.CutPrefix(text[n:], joiner)
		if r, _ := utf8.DecodeRuneInString(next); !ok || !unicode.Is(pictographic(), r) {
			break
		}
		n += len(joiner) + elementLen(next)
	}
	return n
}

// elementLen returns the length of one emoji with its variation selector or skin tone.
func elementLen(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	r, m := utf8.DecodeRuneInString(text[n:])
	if r == variation16 || r >= 0x1f3fb && r <= 0x1f3ff {
		n += m
	}
	return n
}

// isKeycap reports whether the variation selector at text[i:] is part of a keycap sequence such as 1️⃣.
func isKeycap(text string, i int) bool {
	if i == 0 || !strings.ContainsRune("0123456789#*", rune(text[i-1])) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(variation16):])
	return r == keycap
}
