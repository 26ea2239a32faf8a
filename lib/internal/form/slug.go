package form

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosimple/unidecode"
)

// Slug returns a slug of at most most characters for any text. Characters that a slug cannot contain become dashes.
// If most letters are in another script, the result would be only dashes; letters then become code points, as in
// u8abf-u67fb.
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

// Topic returns a slug that people can read, for a text in any script: Latin letters in lower case, with one dash
// between words. Zürich becomes zurich, 部署 becomes bu-shu. A text without letters and digits returns "".
func Topic(text string, most int) string {
	latin := text[:min(len(text), 16*most)]
	if strings.ContainsFunc(latin, func(r rune) bool { return r >= utf8.RuneSelf }) { // otherwise it needs no table
		latin = unidecode.Unidecode(latin)
	}
	latin = strings.ReplaceAll(strings.ToLower(latin), "'", "")
	words := strings.FieldsFunc(latin, func(r rune) bool {
		return r == '-' || r >= utf8.RuneSelf || !IsSlugByte(byte(r))
	})
	topic := strings.Join(words, "-")
	if len(topic) > most {
		topic = topic[:most]
		if cut := strings.LastIndexByte(topic, '-'); cut > most/2 {
			topic = topic[:cut]
		}
	}
	return strings.Trim(topic, "-")
}
