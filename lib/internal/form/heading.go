package form

import "strings"

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

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// Topic makes a slug of a heading as people read it: lower case, one dash between words.
func Topic(heading string, most int) string {
	words := strings.FieldsFunc(strings.ToLower(Slug(strings.ReplaceAll(heading, "'", ""), 4*most)), func(r rune) bool { return r == '-' })
	topic := strings.Join(words, "-")
	if len(topic) > most {
		topic = topic[:most]
		if cut := strings.LastIndexByte(topic, '-'); cut > most/2 {
			topic = topic[:cut]
		}
	}
	return strings.Trim(topic, "-")
}
