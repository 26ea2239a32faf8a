package form

import (
	"strings"
	"unicode/utf8"

	"github.com/gosimple/unidecode"
)

// Slug returns a slug of at most most characters: the text itself if it is one, otherwise its topic.
func Slug(text string, most int) string {
	if IsSlug(text, most) {
		return text
	}
	return Topic(text, most)
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
