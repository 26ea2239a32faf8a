package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

const (
	titleWide  = 80
	lineSource = 2 << 10 // bytes of a line to consider

	// TitleSource is the number of bytes of a body that Title considers.
	TitleSource = 16 << 10
)

// parts are headings that name a part of any handoff, not its subject matter.
const parts = "|context|goal|handoff|handover|notes|overview|status|summary|update|where it stands|"

// Title returns the title of a handoff: its first heading, unless every handoff could have it. Otherwise it is the
// first sentence, otherwise the topic. It is one line of at most 80 columns, in its own script, without Markdown, and
// escaped.
func Title(body, topic string) string {
	body = body[:min(len(body), TitleSource)]
	heading := titleOf(form.Heading(body))
	title := heading
	if isPart(heading) {
		title = ""
	}
	for line := range strings.Lines(body) {
		if title != "" {
			break
		}
		line = strings.TrimLeft(line, " \t>-+*|")
		isMarkup := strings.IndexAny(strings.TrimLeft(line, "#"), " \t") == 0 || // a heading, unlike #42
			slices.ContainsFunc([]string{"<!--", "```", "~~~"}, func(mark string) bool {
				return strings.HasPrefix(line, mark)
			})
		if text := titleOf(line); !isMarkup && text != heading {
			title = sentence(text)
		}
	}
	return form.Cut(cmp.Or(title, heading, topic), titleWide)
}

// IsTitle reports whether a heading shows nothing but a title: no link, and no more than fits a title.
func IsTitle(heading, title string) bool {
	return title != "" && Title("# "+heading, "") == title && !strings.Contains(heading, "](") &&
		!strings.HasSuffix(title, "…")
}

// isPart reports whether a heading names a part of any handoff.
func isPart(heading string) bool { return strings.Contains(parts, "|"+strings.ToLower(heading)+"|") }

const (
	topicWords = 6 // of a text without heading
	topicBytes = 40
)

// TopicOf returns a topic for a body: from its first heading, unless every handoff could have it. Otherwise it is from
// the first words of its title, otherwise "note". Lines may end as in a text that is not normalized yet.
func TopicOf(body string) string {
	body = string(form.Normal([]byte(body)))
	heading := titleOf(form.Heading(body))
	if topic := form.Topic(heading, MaxTopic); topic != "" && !isPart(heading) {
		return topic
	}
	words := strings.Fields(Title(body, ""))
	return cmp.Or(form.Topic(strings.Join(words[:min(len(words), topicWords)], " "), topicBytes), "note")
}

// marks matches the Markdown of a line of text, with groups for the text that stays.
var marks = form.Pattern("^\\d{1,9}[.)] +|^\\[[ xX]\\] +|!?\\[([^\\[\\]]*)\\]\\([^()]*\\)|`+([^`]+)`+|" +
	`\*\*([^*]+)\*\*|~~([^~]+)~~|` +
	`\B\*([^*\s][^*]*)\*\B|\b_([^_]+)_\b|\\([!-/:-@\[-` + "`{-~])")

// titleOf returns the text of a line without Markdown, "" if it has no letter, number or pictograph.
func titleOf(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), lineSource)], "\ufffd")
	line = strings.TrimSpace(line)
	if strings.ContainsAny(line, "[`*~_\\") || strings.IndexAny(line, "0123456789") == 0 { // most lines have no marks
		line = marks().ReplaceAllString(line, "$1$2$3$4$5$6$7")
	}
	line = strings.Join(strings.Fields(line), " ")
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
				continue // as in "e.g. this"
			}
		}
		line = line[:i+utf8.RuneLen(r)]
		break
	}
	return strings.TrimRight(line, ".。।")
}
