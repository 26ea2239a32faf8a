package document

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

const (
	titleWide  = 80
	lineSource = 2 << 10 // bytes of a line that count for a title

	// TitleSource is how many bytes of a body count for its title.
	TitleSource = 16 << 10
)

// parts are headings that name a part of every handoff, and not what this one is about.
const parts = "|context|goal|handoff|handover|notes|overview|status|summary|update|where it stands|"

// Title returns what people read as the title of a handoff: its first heading, unless that is one that any handoff
// could have, else its first sentence, else the topic. It is on one line of at most 80 columns, in its own script,
// without marks of Markdown, and escaped.
func Title(body, topic string) string {
	body = body[:min(len(body), TitleSource)]
	heading := titleOf(form.Heading(body))
	title := heading
	if strings.Contains(parts, "|"+strings.ToLower(heading)+"|") {
		title = ""
	}
	for line := range strings.Lines(body) {
		if title != "" {
			break
		}
		line = strings.TrimLeft(line, " \t>-+*|")
		isMarkup := slices.ContainsFunc([]string{"#", "<!--", "```", "~~~"}, func(mark string) bool {
			return strings.HasPrefix(line, mark)
		})
		if text := titleOf(line); !isMarkup && text != heading {
			title = sentence(text)
		}
	}
	for _, other := range []string{heading, topic} {
		if title == "" {
			title = other
		}
	}
	return form.Cut(title, titleWide)
}

// marks are the marks of Markdown that a line of text has, each around what stays.
var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\d{1,9}[.)] +|^\\[[ xX]\\] +|!?\\[([^\\[\\]]*)\\]\\([^()]*\\)|`+([^`]+)`+|" +
		`\*\*([^*]+)\*\*|~~([^~]+)~~|` +
		`\B\*([^*\s][^*]*)\*\B|\b_([^_]+)_\b|\\([!-/:-@\[-` + "`{-~])")
})

// titleOf returns the text of a line without marks, "" if it has neither a letter nor a number nor a picture.
func titleOf(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), lineSource)], "\ufffd")
	line = strings.Join(strings.Fields(marks().ReplaceAllString(strings.TrimSpace(line), "$1$2$3$4$5$6$7")), " ")
	if strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.So) }) {
		return line
	}
	return ""
}

// sentence returns the first sentence of a line, without its full stop.
func sentence(line string) string {
	for i, r := range line {
		next, size := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):])
		switch {
		case strings.ContainsRune("。！？", r):
		case !strings.ContainsRune(".!?؟।", r) || size > 0 && next != ' ':
			continue
		default:
			rest := strings.TrimLeft(line[i+utf8.RuneLen(r):], " ")
			if after, _ := utf8.DecodeRuneInString(rest); unicode.IsLower(after) {
				continue // as in e.g. this
			}
		}
		line = line[:i+utf8.RuneLen(r)]
		break
	}
	return strings.TrimRight(line, ".。।")
}
