package document

import (
	"cmp"
	_ "embed" // for the words
	"html"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

const (
	titleWide   = 80
	titleSource = 16 << 10 // bytes of a body to consider
	lineSource  = 2 << 10  // bytes of a line to consider
)

// Title returns the title of a handoff: its first heading that does not only name a part of any handoff, otherwise the
// title in the frontmatter of another tool, otherwise the first sentence, otherwise the topic. It is one line of at
// most 80 columns, in its own script, without Markdown and HTML, and escaped.
func Title(body, topic string) string {
	s := titlesOf(body)
	return form.Cut(cmp.Or(s.heading, s.title, subjectOf(body), s.sentence, s.pair, topic, s.generic), titleWide)
}

// IsTitle reports whether a heading shows nothing but a title: no link, and no more than fits a title.
func IsTitle(heading, title string) bool {
	return title != "" && Title("# "+heading, "") == title && !strings.Contains(heading, "](") &&
		!strings.HasSuffix(title, "…")
}

const (
	topicWords = 6 // of a text without heading
	topicBytes = 40
)

// TopicOf returns a topic for a body: from its heading, otherwise from the first words of its title, otherwise "note".
// Lines may end as in a text that is not normalized yet.
func TopicOf(body string) string {
	s := titlesOf(string(form.Normal([]byte(body))))
	words := strings.Fields(cmp.Or(s.sentence, s.pair, s.generic))
	return cmp.Or(form.Topic(cmp.Or(s.heading, s.title, subjectOf(body)), MaxTopic),
		form.Topic(strings.Join(words[:min(len(words), topicWords)], " "), topicBytes), "note")
}

// A titles has the first of each text of a body that can be its title.
type titles struct {
	heading, generic string
	title            string // of frontmatter
	sentence, pair   string // pair is a line such as "Key: value", or of images
}

// htmlHeading matches a heading in HTML at the beginning of a line, pair a line such as "Key: value", lead the marks
// before the text of a line, metadata the title in YAML, TOML, JSON or Org. A title after > or | is in the next line.
var (
	htmlHeading = form.Pattern(`(?ims)^[ \t]*(?:<[^<>]*>)*<h[1-6](?:\s[^<>]*)?>(.*?)</h[1-6]>`)
	comment     = form.Pattern(`(?s)<!--.*?(?:-->|$)`)
	pair        = form.Pattern(`^\pL[\pL\pN_/()-]*(?: [\pL\pN_/()-]+){0,2} ?(?:: |：|:$)`)
	metadata    = form.Pattern(`(?i)^(?:#\+)?["']?title["']?\s*[:=]\s*(?:[>|][-+]?$|["']?([^\s\[{"'>|].*?)["', ]*$)`)
	lead        = form.Pattern(`^(?:[>\s]|[-+*]\s|\d{1,9}[.)]\s|\[[ xX]\]\s|#{1,6}\s)+`)
)

// titlesOf reads a body. A heading is a line of # to ######, or one above ===. A line above --- ends metadata. Code and
// tables do not count.
func titlesOf(body string) (s titles) {
	if body = body[:min(len(body), titleSource)]; strings.Contains(body, "<") {
		body = htmlHeading().ReplaceAllStringFunc(comment().ReplaceAllString(body, ""), func(found string) string {
			return "\n# " + strings.Join(strings.Fields(htmlHeading().FindStringSubmatch(found)[1]), " ") + "\n"
		})
	}
	lines := s.skipHead(strings.Split(strings.Trim(body, "\n"), "\n"))
	fence, above, isCode := "", "", false
	for i, line := range lines {
		isCode = (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) && (isCode || above == "")
		line = strings.TrimSpace(line)
		text, below := strings.TrimLeft(line, "#"), "" // the next line
		level := len(line) - len(text)
		if i+1 < len(lines) {
			below = strings.TrimSpace(lines[i+1])
		}
		switch mark := line[:min(len(line), len("```"))]; {
		case fence != "":
			if mark == fence {
				fence = ""
			}
			continue
		case mark == "```", mark == "~~~":
			fence = mark
		case strings.HasPrefix(line, "#+"):
			s.meta(line, "")
		case isCode, strings.HasPrefix(line, "|"):
		case level > 0 && level <= 6 && strings.IndexAny(text, " \t") == 0:
			s.head(textOf(strings.TrimRight(strings.TrimSpace(text), "#")))
			line = ""
		case above != "" && line != "" && strings.Trim(line, "=") == "":
			s.head(textOf(above))
		case strings.HasPrefix(line, "!["), strings.HasPrefix(line, "[!["): // images, such as badges
			s.pair = cmp.Or(s.pair, textOf(line))
		case below == "" || strings.Trim(below, "=") != "":
			s.text(textOf(lead().ReplaceAllString(line, "")))
		}
		above = line
	}
	return s
}

// subjectOf returns the subject that a JSON object names, "" for another text.
func subjectOf(body string) (subject string) {
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		root, _ := json.Parse([]byte(body))
		for _, name := range []string{"title", "summary", "objective", "next_action"} {
			subject = cmp.Or(subject, textOf(root.Get(name).Str()))
		}
	}
	return subject
}

// skipHead returns the lines after the frontmatter of another tool, which can have the title. It begins with ---, +++,
// ;;; or {, and ends with the same or }.
func (s *titles) skipHead(lines []string) []string {
	end := strings.Replace(strings.TrimSpace(lines[0]), "{", "}", 1)
	if len(lines) == 1 || !slices.Contains(strings.Fields("--- +++ ;;; }"), end) || strings.TrimSpace(lines[1]) == "" {
		return lines
	}
	n := slices.IndexFunc(lines[1:], func(line string) bool { return strings.TrimRight(line, " \t") == end })
	for i := range n {
		s.meta(lines[i+1], lines[i+2])
	}
	if n < 0 {
		return lines
	}
	return lines[n+2:]
}

// meta adds the title in a line of metadata.
func (s *titles) meta(line, below string) {
	if found := metadata().FindStringSubmatch(strings.TrimSpace(line)); found != nil {
		s.title = cmp.Or(s.title, textOf(strings.ReplaceAll(cmp.Or(found[1], below), "''", "'")))
	}
}

// head adds the text of a heading, text that of another line.
func (s *titles) head(text string) {
	if into := &s.heading; isGeneric(text) {
		s.generic = cmp.Or(s.generic, text)
	} else {
		*into = cmp.Or(*into, text)
	}
}

func (s *titles) text(line string) {
	if first := sentence(line); pair().MatchString(line) && first == line {
		s.pair = cmp.Or(s.pair, line)
	} else {
		s.sentence = cmp.Or(s.sentence, first)
	}
}

//go:embed generic.txt
var genericFile string

var generic = sync.OnceValue(func() map[string]bool {
	known := make(map[string]bool)
	for line := range strings.Lines(genericFile) {
		known[strings.TrimSpace(line)] = true
	}
	return known
})

// isGeneric reports whether a heading is in generic.txt, or has only words of it and numbers, as the headings of any
// handoff. Chinese, Japanese and Korean have such words in a row.
func isGeneric(heading string) bool {
	isMark := func(r rune) bool { return !unicode.IsLetter(r) }
	words := strings.FieldsFunc(strings.ToLower(heading), isMark)
	return generic()[strings.Join(words, " ")] || !slices.ContainsFunc(words, isOwn)
}

// isOwn reports whether a word of a heading says something about its handoff.
func isOwn(word string) bool {
	const firstSign = 0xe3 // the first byte of these scripts
	if generic()[word] || word[0] < firstSign {
		return !generic()[word]
	}
	for known := range generic() {
		if known[0] >= firstSign {
			word = strings.ReplaceAll(word, known, "")
		}
	}
	return word != ""
}

// tags matches the tags of HTML, links and marks the Markdown around words, with groups for the words.
var (
	tags = form.Pattern(`(?i)</?(?:!doctype|a|abbr|b|big|blockquote|body|br|center|code|dd|del|details|div|dl|dt|em|` +
		`font|h[1-6]|head|hr|html|i|img|ins|kbd|li|mark|ol|p|picture|pre|s|samp|small|source|span|strike|strong|sub|` +
		`summary|sup|t[abdhr]|table|tbody|thead|tt|u|ul|var|video)(?:\s[^<>]*)?/?>`)
	links = form.Pattern(`!?\B\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	marks = form.Pattern("`+([^`]+)`+" + `|\B\*\*(` + begin + `[^*]*` + end + `)\*\*(?:\B|$)` +
		`|\B~~(` + begin + `[^~]*` + end + `)~~\B|\B\*(` + begin + `[^*]*` + end + `)\*\B` +
		`|\b_(` + begin + `[^_]*` + end + `)_\b`)
)

// begin matches the begin of marked words, end their end.
const (
	begin = "(?:[\\pL\\pN`]"
	end   = "[\\pL\\pN`.!?:)…]|[\\pL\\pN])"
)

// textOf returns the text of a line without Markdown and HTML, "" if it has no letter, number or pictograph.
func textOf(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), lineSource)], "\ufffd")
	if strings.Contains(line, "<") {
		line = tags().ReplaceAllString(strings.ReplaceAll(line, "<br", " <br"), "")
	}
	if strings.ContainsAny(line, "[`*~_") {
		line = links().ReplaceAllString(links().ReplaceAllString(line, "$1"), "$1") // an image can be in a link
		line = marks().ReplaceAllString(line, "$1$2$3$4$5")
	}
	line = strings.Join(strings.Fields(html.UnescapeString(line)), " ")
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
