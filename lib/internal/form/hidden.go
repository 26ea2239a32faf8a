package form

import "unicode"

// IsInvisible reports whether r controls a terminal, shows nothing, or has no agreed meaning.
func IsInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(invisible, r) || unicode.Is(unicode.Co, r) || isNoncharacter(r)
}

// isNoncharacter reports whether r is a noncharacter of Unicode.
func isNoncharacter(r rune) bool {
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
}

// invisible has the characters that show nothing or reorder the text around them. They are the
// Default_Ignorable_Code_Point property of Unicode, the line and paragraph separators, the interlinear annotation
// marks, the Egyptian layout controls and the empty braille pattern.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1},
		{0x034f, 0x034f, 1},
		{0x061c, 0x061c, 1},
		{0x115f, 0x1160, 1},
		{0x17b4, 0x17b5, 1},
		{0x180b, 0x180f, 1},
		{0x200b, 0x200f, 1},
		{0x2028, 0x202e, 1},
		{0x2060, 0x206f, 1},
		{0x2800, 0x2800, 1},
		{0x3164, 0x3164, 1},
		{0xfe00, 0xfe0f, 1},
		{0xfeff, 0xfeff, 1},
		{0xffa0, 0xffa0, 1},
		{0xfff0, 0xfffb, 1},
	},
	R32: []unicode.Range32{
		{0x13430, 0x1343f, 1},
		{0x1bca0, 0x1bca3, 1},
		{0x1d173, 0x1d17a, 1},
		{0xe0000, 0xe0fff, 1},
	},
}
