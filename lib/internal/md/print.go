package md

import (
	"html"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// codes are the SGR codes of elements.
var codes = map[string]string{"h": "1;36", "strong": "1", "em": "3", "code": "33", "pre": "33", "a": "4",
	"blockquote": "2"}

const narrowest = 20 // the minimum columns of text

// Lines returns the lines of a body for a terminal, without a first heading that repeats the title. Each starts and
// ends without a style.
func Lines(body, title string, width int, colors bool) []string {
	p := printer{width: width, colors: colors}
	for _, b := range parse(body, title) {
		p.print(b)
	}
	return p.lines
}

// A printer collects lines.
type printer struct {
	width  int
	colors bool
	lines  []string
}

func (p *printer) style(text, kind string) string {
	if text = form.EscapeLine(text); !p.colors || text == "" || codes[kind] == "" {
		return text
	}
	return "\x1b[" + codes[kind] + "m" + text + "\x1b[m"
}

// add adds a text in as many lines as it needs. The first one begins with first, the others with rest.
func (p *printer) add(first, rest, text, kind string) {
	for _, spans := range fill(inline(text, kind, !p.colors), max(p.width-len(first), narrowest)) {
		var b strings.Builder
		b.WriteString(first)
		for i, s := range spans {
			if i == len(spans)-1 {
				s.text = strings.TrimRight(s.text, " ")
			}
			b.WriteString(p.style(s.text, s.kind))
		}
		p.lines, first = append(p.lines, strings.TrimRight(b.String(), " ")), rest
	}
}

func (p *printer) print(b block) {
	first := strings.Repeat(" ", min(b.indent, max(0, p.width-narrowest)))
	if b.mark != "" {
		first += b.mark + " "
	}
	switch b.kind {
	case "pre":
		for line := range strings.SplitSeq(strings.Trim(b.mark+"\n"+b.text+"\n"+b.end, "\n"), "\n") {
			p.lines = append(p.lines, p.style(line, b.kind))
		}
	case "table":
		if table, wide := b.columns(!p.colors); wide <= p.width {
			p.lines = append(p.lines, table...)
			return
		}
		for _, row := range b.rows[1:] {
			for i, cell := range row {
				p.add("", "  ", strings.TrimSpace(b.rows[0][i])+": "+strings.TrimSpace(cell), "")
			}
		}
	case "blockquote":
		for line := range strings.SplitSeq(b.text, "\n") {
			p.add(first, first, line, b.kind)
		}
	default:
		p.add(first, strings.Repeat(" ", len(first)), b.text, b.kind)
	}
}

// columns returns the lines of a table, and the width of the widest.
func (b block) columns(keep bool) (lines []string, wide int) {
	rows := make([][]string, len(b.rows))
	for i, row := range b.rows {
		for _, cell := range row {
			shown := ""
			for _, s := range inline(strings.TrimSpace(cell), "", keep) {
				shown += s.text
			}
			rows[i] = append(rows[i], shown)
		}
	}
	lines = strings.Split(strings.TrimSuffix(form.Table(0, rows[0], rows[1:]), "\n"), "\n")
	for _, line := range lines {
		wide = max(wide, form.Width(line))
	}
	return lines, wide
}

// fill divides spans into lines that fit a width, if there is a place to break them.
func fill(spans []span, width int) (lines [][]span) {
	var line []span
	used, end := 0, 0 // its width, and the number of spans up to the last place to break it
	for _, s := range spans {
		words := []string{s.text}
		if s.kind != "code" && s.kind != "a" {
			words = form.Words(s.text)
		}
		for i, word := range words {
			if end > 0 && used+form.Width(strings.TrimRight(word, " ")) > width {
				lines, line, used, end = append(lines, line[:end]), line[end:], 0, 0
				for _, rest := range line {
					used += form.Width(rest.text)
				}
			}
			line, used = append(line, span{word, s.kind}), used+form.Width(word)
			if i < len(words)-1 || strings.HasSuffix(word, " ") {
				end = len(line)
			}
		}
	}
	return append(lines, line)
}

const auto = ` dir="auto"` // of the outermost elements

// HTML returns a body as harmless HTML, without a first heading that repeats the title. It has no scripts, styles,
// pictures, ids and forms, and leads only to web addresses that it shows. Its headings are below that of the page.
func HTML(body, title string) string {
	var p page
	for _, b := range parse(body, title) {
		p.print(b)
	}
	p.close(-1)
	return p.String()
}

// A page collects HTML.
type page struct {
	strings.Builder
	open []int // the indents of open lists
}

// element adds an element. Browsers find its direction in its text, without what has a direction of its own.
func (p *page) element(name, attributes, text string) {
	p.WriteString("<" + name + attributes + ">" + line(text) + "</" + name + ">\n")
}

// close closes the lists with more than an indent.
func (p *page) close(indent int) {
	for len(p.open) > 0 && indent < p.open[len(p.open)-1] {
		p.WriteString("</li></ul>\n")
		p.open = p.open[:len(p.open)-1]
	}
}

func (p *page) print(b block) {
	switch b.kind {
	case "":
		return
	case "li":
		p.close(b.indent)
		p.item(b)
		return
	}
	p.close(-1)
	switch b.kind {
	case "h":
		p.element("h"+string(rune('0'+max(2, min(len(b.mark), 6)))), auto, b.text)
	case "pre":
		p.WriteString(`<pre tabindex="0"><code>` + html.EscapeString(b.text) + "</code></pre>\n")
	case "table":
		p.WriteString(`<div class="scroll" dir="auto" tabindex="0" role="group" aria-label="Table"><table>` + "\n")
		for i, row := range b.rows {
			p.WriteString("<tr>")
			for _, cell := range row {
				p.element(map[bool]string{true: "th", false: "td"}[i == 0], "", strings.TrimSpace(cell))
			}
			p.WriteString("</tr>\n")
		}
		p.WriteString("</table></div>\n")
	case "blockquote":
		p.WriteString("<blockquote dir=\"auto\">\n")
		for quoted := range strings.SplitSeq(b.text, "\n") {
			p.element("p", "", quoted)
		}
		p.WriteString("</blockquote>\n")
	default:
		p.element("p", auto, b.text)
	}
}

// item begins an item of a list, which stays open.
func (p *page) item(b block) {
	if len(p.open) > 0 && b.indent == p.open[len(p.open)-1] {
		p.WriteString("</li>\n")
	} else {
		p.WriteString("<ul dir=\"auto\">\n")
		p.open = append(p.open, b.indent)
	}
	if number := strings.Trim(b.mark, "-*+"); number == "" {
		p.WriteString("<li>")
	} else {
		p.WriteString(`<li class="number">` + number + " ")
	}
	if strings.HasPrefix(b.text, "[x] ") || strings.HasPrefix(b.text, "[ ] ") { // says nothing about the direction
		p.WriteString("<bdi>" + b.text[:3] + "</bdi> ")
		b.text = b.text[4:]
	}
	p.WriteString(line(b.text))
}

// line returns text with its spans as HTML.
func line(text string) string {
	var b strings.Builder
	for _, s := range inline(text, "", false) {
		shown := html.EscapeString(form.EscapeLine(s.text))
		switch s.kind {
		case "":
			b.WriteString(shown)
		case "a":
			b.WriteString(`<a rel="noopener noreferrer nofollow" href="` + shown + `">` + shown + "</a>")
		default:
			b.WriteString("<" + s.kind + ">" + shown + "</" + s.kind + ">")
		}
	}
	return b.String()
}
