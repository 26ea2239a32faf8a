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
		if r, _ := utf8.DecodeRuneInString(next); !ok || !unicode.Is(pictographic, r) {
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

// pictographic is the Extended_Pictographic property of Unicode 15, which includes code points for later emoji.
var pictographic = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00a9, 0x00a9, 1}, {0x00ae, 0x00ae, 1}, {0x203c, 0x203c, 1}, {0x2049, 0x2049, 1},
		{0x2122, 0x2122, 1}, {0x2139, 0x2139, 1}, {0x2194, 0x2199, 1}, {0x21a9, 0x21aa, 1},
		{0x231a, 0x231b, 1}, {0x2328, 0x2328, 1}, {0x2388, 0x2388, 1}, {0x23cf, 0x23cf, 1},
		{0x23e9, 0x23f3, 1}, {0x23f8, 0x23fa, 1}, {0x24c2, 0x24c2, 1}, {0x25aa, 0x25ab, 1},
		{0x25b6, 0x25b6, 1}, {0x25c0, 0x25c0, 1}, {0x25fb, 0x25fe, 1}, {0x2600, 0x2605, 1},
		{0x2607, 0x2612, 1}, {0x2614, 0x2685, 1}, {0x2690, 0x2705, 1}, {0x2708, 0x2712, 1},
		{0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271d, 0x271d, 1}, {0x2721, 0x2721, 1},
		{0x2728, 0x2728, 1}, {0x2733, 0x2734, 1}, {0x2744, 0x2744, 1}, {0x2747, 0x2747, 1},
		{0x274c, 0x274c, 1}, {0x274e, 0x274e, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
		{0x2763, 0x2767, 1}, {0x2795, 0x2797, 1}, {0x27a1, 0x27a1, 1}, {0x27b0, 0x27b0, 1},
		{0x27bf, 0x27bf, 1}, {0x2934, 0x2935, 1}, {0x2b05, 0x2b07, 1}, {0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1}, {0x2b55, 0x2b55, 1}, {0x3030, 0x3030, 1}, {0x303d, 0x303d, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1f000, 0x1f0ff, 1}, {0x1f10d, 0x1f10f, 1}, {0x1f12f, 0x1f12f, 1}, {0x1f16c, 0x1f171, 1},
		{0x1f17e, 0x1f17f, 1}, {0x1f18e, 0x1f18e, 1}, {0x1f191, 0x1f19a, 1}, {0x1f1ad, 0x1f1e5, 1},
		{0x1f201, 0x1f20f, 1}, {0x1f21a, 0x1f21a, 1}, {0x1f22f, 0x1f22f, 1}, {0x1f232, 0x1f23a, 1},
		{0x1f23c, 0x1f23f, 1}, {0x1f249, 0x1f3fa, 1}, {0x1f400, 0x1f53d, 1}, {0x1f546, 0x1f64f, 1},
		{0x1f680, 0x1f6ff, 1}, {0x1f774, 0x1f77f, 1}, {0x1f7d5, 0x1f7ff, 1}, {0x1f80c, 0x1f80f, 1},
		{0x1f848, 0x1f84f, 1}, {0x1f85a, 0x1f85f, 1}, {0x1f888, 0x1f88f, 1}, {0x1f8ae, 0x1f8ff, 1},
		{0x1f90c, 0x1f93a, 1}, {0x1f93c, 0x1f945, 1}, {0x1f947, 0x1faff, 1}, {0x1fc00, 0x1fffd, 1},
	},
}
