package form

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Slug makes at most most characters of a slug from any text: each character that a slug cannot hold
// becomes a dash. Of a text that is mostly in another script that would leave dashes, the same for
// all; there its letters become their code points, as in u8abf-u67fb.
func Slug(text string, most int) string {
	kept, lost := 0, 0
	for _, r := range text {
		if letter := unicode.IsLetter(r) || unicode.IsDigit(r); letter && r < utf8.RuneSelf {
			kept++
		} else if letter {
			lost++
		}
	}
	var b strings.Builder
	for _, r := range text {
		next := "-"
		switch {
		case r < utf8.RuneSelf && IsSlugByte(byte(r)):
			next = string(r)
		case lost > kept && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if next = fmt.Sprintf("u%x", r); b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				next = "-" + next
			}
		}
		if b.Len()+len(next) > most {
			break
		}
		b.WriteString(next)
	}
	return b.String()
}
