package form

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	joiner    = "\u200d" // ZERO WIDTH JOINER
	nonJoiner = "\u200c" // ZERO WIDTH NON-JOINER
)

// isNeededJoiner reports whether a script needs the joiner or non-joiner at text[i:] (UAX #31, contexts A1, A2 and
// B). It only considers letters of one script and visible marks. These are never escaped, so escaping twice finds the
// same context.
func isNeededJoiner(text string, i int) bool {
	before, after := text[:i], text[i+len(joiner):]
	if strings.HasPrefix(text[i:], nonJoiner) && breaksCursive(before, after) {
		return true
	}
	v, before := lastRune(before, isStackedMark)
	if !unicode.Is(viramas, v) {
		return false
	}
	letter, _ := lastRune(before, isMark)
	if strings.HasPrefix(text[i:], joiner) {
		next, _ := utf8.DecodeRuneInString(after)
		return isLetterOf(letter, v) && !unicode.Is(unicode.M, next)
	}
	return isLetterOf(letter, v) && isLetterOf(firstRune(after, isStackedMark), v)
}

// breaksCursive reports whether the characters on both sides would join without a non-joiner:
// Persian می‌خواهم.
func breaksCursive(before, after string) bool {
	left, _ := lastRune(before, isMark)
	right := firstRune(after, isMark)
	return unicode.Is(dualJoining, left) && (unicode.Is(dualJoining, right) || unicode.Is(rightJoining, right))
}

// lastRune returns the last character of text that is not skipped, and the text before it.
func lastRune(text string, skip func(rune) bool) (rune, string) {
	for text != "" {
		r, n := utf8.DecodeLastRuneInString(text)
		if text = text[:len(text)-n]; !skip(r) {
			return r, text
		}
	}
	return -1, ""
}

// firstRune returns the first character of text that is not skipped, or -1.
func firstRune(text string, skip func(rune) bool) rune {
	for _, r := range text {
		if !skip(r) {
			return r
		}
	}
	return -1
}

// isMark reports whether r is a visible mark that combines with the character before it.
func isMark(r rune) bool { return r >= 0x300 && unicode.Is(unicode.Mn, r) && !IsInvisible(r) }

// isStackedMark reports whether r is a mark that can be between a virama and a joiner, such as a Vedic tone.
func isStackedMark(r rune) bool { return isMark(r) && unicode.Is(unicode.Inherited, r) }

// isLetterOf reports whether r is a letter of the script of the virama v.
func isLetterOf(r, v rune) bool {
	for _, script := range conjoining {
		if unicode.Is(script, v) {
			return unicode.Is(script, r) && unicode.IsLetter(r) && !IsInvisible(r)
		}
	}
	return false
}

// conjoining are the scripts with conjuncts, which joiners create and prevent.
var conjoining = []*unicode.RangeTable{
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer,
	unicode.Tai_Tham,
	unicode.Balinese, unicode.Sundanese, unicode.Saurashtra, unicode.Javanese, unicode.Meetei_Mayek, unicode.Brahmi,
	unicode.Kaithi, unicode.Chakma, unicode.Sharada, unicode.Grantha, unicode.Newa, unicode.Tirhuta,
}

// viramas are the characters of those scripts with Canonical_Combining_Class=Virama.
var viramas = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x094d, 0x0d4d, 0x80}, // the same offset in the blocks from Devanagari to Malayalam
		{0x0d3b, 0x0d3c, 1}, {0x0dca, 0x0dca, 1}, {0x0f84, 0x0f84, 1}, {0x1039, 0x103a, 1}, {0x17d2, 0x17d2,
			1}, {0x1a60, 0x1a60, 1},
		{0x1b44, 0x1b44, 1}, {0x1baa, 0x1bab, 1}, {0xa8c4, 0xa8c4, 1}, {0xa9c0, 0xa9c0, 1}, {0xaaf6, 0xaaf6,
			1}, {0xabed, 0xabed, 1},
	},
	R32: []unicode.Range32{
		{0x11046, 0x11046, 1}, {0x11070, 0x11070, 1}, {0x110b9, 0x110b9, 1}, {0x11133, 0x11134, 1}, {0x111c0, 0x111c0,
			1},
		{0x1134d, 0x1134d, 1}, {0x11442, 0x11442, 1}, {0x114c2, 0x114c2, 1},
	},
}

// dualJoining and rightJoining are the letters of Arabic, Syriac, N'Ko, Mongolian and Adlam by Joining_Type. They
// join on both sides, or only to the letter before them.
var (
	dualJoining = &unicode.RangeTable{
		R16: []unicode.Range16{
			{0x0620, 0x0620, 1}, {0x0626, 0x0626, 1}, {0x0628, 0x0628, 1}, {0x062a, 0x062e, 1}, {0x0633, 0x063f,
				1}, {0x0641, 0x0647, 1},
			{0x0649, 0x064a, 1}, {0x066e, 0x066f, 1}, {0x0678, 0x0687, 1}, {0x069a, 0x06bf, 1}, {0x06c1, 0x06c2,
				1}, {0x06cc, 0x06cc, 1},
			{0x06ce, 0x06ce, 1}, {0x06d0, 0x06d1, 1}, {0x06fa, 0x06fc, 1}, {0x06ff, 0x06ff, 1}, {0x0712, 0x0714,
				1}, {0x071a, 0x071d, 1},
			{0x071f, 0x0727, 1}, {0x0729, 0x0729, 1}, {0x072b, 0x072b, 1}, {0x072d, 0x072e, 1}, {0x074e, 0x0758,
				1}, {0x075c, 0x076a, 1},
			{0x076d, 0x0770, 1}, {0x0772, 0x0772, 1}, {0x0775, 0x0777, 1}, {0x077a, 0x077f, 1}, {0x07ca, 0x07ea,
				1}, {0x0860, 0x0860, 1},
			{0x0862, 0x0865, 1}, {0x0868, 0x0868, 1}, {0x0886, 0x0886, 1}, {0x0889, 0x088d, 1}, {0x08a0, 0x08a9,
				1}, {0x08af, 0x08b0, 1},
			{0x08b3, 0x08b8, 1}, {0x08ba, 0x08c8, 1}, {0x1820, 0x1878, 1}, {0x1887, 0x18a8, 1}, {0x18aa, 0x18aa, 1},
		},
		R32: []unicode.Range32{{0x1e900, 0x1e943, 1}},
	}
	rightJoining = &unicode.RangeTable{
		R16: []unicode.Range16{
			{0x0622, 0x0625, 1}, {0x0627, 0x0627, 1}, {0x0629, 0x0629, 1}, {0x062f, 0x0632, 1}, {0x0648, 0x0648,
				1}, {0x0671, 0x0673, 1},
			{0x0675, 0x0677, 1}, {0x0688, 0x0699, 1}, {0x06c0, 0x06c0, 1}, {0x06c3, 0x06cb, 1}, {0x06cd, 0x06cd,
				1}, {0x06cf, 0x06cf, 1},
			{0x06d2, 0x06d3, 1}, {0x06d5, 0x06d5, 1}, {0x06ee, 0x06ef, 1}, {0x0710, 0x0710, 1}, {0x0715, 0x0719,
				1}, {0x071e, 0x071e, 1},
			{0x0728, 0x0728, 1}, {0x072a, 0x072a, 1}, {0x072c, 0x072c, 1}, {0x072f, 0x072f, 1}, {0x074d, 0x074d,
				1}, {0x0759, 0x075b, 1},
			{0x076b, 0x076c, 1}, {0x0771, 0x0771, 1}, {0x0773, 0x0774, 1}, {0x0778, 0x0779, 1}, {0x0867, 0x0867,
				1}, {0x0869, 0x086a, 1},
			{0x0870, 0x0882, 1}, {0x088e, 0x088e, 1}, {0x08aa, 0x08ac, 1}, {0x08ae, 0x08ae, 1}, {0x08b1, 0x08b2,
				1}, {0x08b9, 0x08b9, 1},
		},
	}
)
