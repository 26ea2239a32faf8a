package form

import "unicode"

// IsInvisible reports whether r controls a terminal, shows nothing, or has no agreed meaning.
func IsInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(invisible(), r) || unicode.Is(unicode.Co, r) || isNoncharacter(r)
}

// isNoncharacter reports whether r is a noncharacter of Unicode.
func isNoncharacter(r rune) bool {
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
}

// IsHidden reports whether r must not be in a line of text for people: C0, DEL, C1, the line and paragraph
// separators, and noncharacters.
func IsHidden(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || isNoncharacter(r)
}
