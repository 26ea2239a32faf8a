package form

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"
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

// Heading returns the text of the first heading of a Markdown text, "" if it has none: a line of # to
// ######, or one that is underlined with = or - (CommonMark sections 4.2 and 4.3). What stands in a
// fenced block is no heading.
func Heading(text string) string {
	fence, above := "", ""
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		switch mark := fenceOf(line); {
		case fence != "":
			if mark == fence {
				fence = ""
			}
			continue
		case mark != "":
			fence, above = mark, ""
			continue
		}
		if title := strings.TrimLeft(line, "#"); len(line)-len(title) >= 1 && len(line)-len(title) <= 6 && strings.HasPrefix(title, " ") {
			if title = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(title), "#")); title != "" {
				return title
			}
		}
		if above != "" && line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "") {
			return above
		}
		above = line
	}
	return ""
}

// Title is what people call a text: its first heading, else its first sentence, in one line, "" if it has neither.
func Title(text string) string {
	if heading := Heading(text); heading != "" {
		return heading
	}
	text, _, _ = strings.Cut(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), "\n")
	end := len(text)
	for _, stop := range []string{". ", "! ", "? ", "。", "！", "？"} {
		if at := strings.Index(text, stop); at >= 0 {
			end = min(end, at+len(strings.TrimSpace(stop)))
		}
	}
	return strings.TrimSpace(text[:end])
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// Topic makes a slug of a text in any script as people read it: Latin letters in lower case, one dash between words.
// Zürich becomes zurich, and 部署 bu-shu. It is "" if the text has no letter and no digit.
func Topic(text string, most int) string {
	latin := strings.ReplaceAll(strings.ToLower(unidecode.Unidecode(text[:min(len(text), 16*most)])), "'", "")
	words := strings.FieldsFunc(latin, func(r rune) bool { return r == '-' || r >= utf8.RuneSelf || !IsSlugByte(byte(r)) })
	topic := strings.Join(words, "-")
	if len(topic) > most {
		topic = topic[:most]
		if cut := strings.LastIndexByte(topic, '-'); cut > most/2 {
			topic = topic[:cut]
		}
	}
	return strings.Trim(topic, "-")
}

const (
	topicWords = 6 // of a text without a heading
	topicBytes = 40
)

// TopicOf makes a slug of at most so many characters for what a Markdown text is about: of its first heading, else of
// its first words, else it is "note".
func TopicOf(text string, most int) string {
	if topic := Topic(Heading(text), most); topic != "" {
		return topic
	}
	words := strings.Fields(text[:min(len(text), 4<<10)])
	for len(words) > 0 {
		if topic := Topic(strings.Join(words[:min(len(words), topicWords)], " "), topicBytes); topic != "" {
			return topic
		}
		words = words[min(len(words), topicWords):]
	}
	return "note"
}
