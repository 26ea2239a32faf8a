// Package md shows the body of a handoff: as lines of a terminal, and as HTML.
//
// A body has headings, paragraphs, list items, quotes, code, and tables. Within a line, code is `code`; bold is
// **bold** or __bold__, and emphasis *emphasis* or _emphasis_, between spaces or sentence punctuation. Nothing else
// has a meaning: HTML is text, and of a link only the address leads anywhere. All marks stay, so that what is shown
// can be copied, except ** around bold text with colors or on a page, and those of headings, list items and fences on
// a page. No line is broken within code or at a hyphen, so a line can be wider than the terminal.
//
// The text is untrusted. It is escaped before it is read, and each piece again when it is printed, since a mark that
// is left out can join what it separated. The time is proportional to the length of the text.
package md

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A block is a part of a body.
type block struct {
	kind   string // its element in HTML, or "" for an empty line
	indent int    // the columns before it
	mark   string // of a heading, an item or a quote; the first line of fenced code
	text   string // in one line, except that of code and quotes
	end    string // the last line of fenced code
	rows   [][]string
}

// start matches the first line of a block: a rule, heading, item, fence, quote or table row.
var start = form.Pattern(`^(?:((?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})|(#{1,6}) +(.*)|([-*+]|[0-9]{1,9}[.)]) +(.*)|` +
	"(```+|~~~+)[^`]*" + `|> ?(.*)|(\|.*))$`)

// parse returns the blocks of a body, without a first heading that repeats the title.
func parse(body, title string) []block {
	body, _ = form.Escape(body)
	body = strings.TrimRight(strings.ReplaceAll(body, "\t", "    "), " \n")
	p := parser{lines: strings.Split(strings.TrimLeft(body, "\n"), "\n")}
	for p.at < len(p.lines) {
		p.next()
	}
	if first := p.all[0]; first.kind != "h" || !document.IsTitle(first.text, title) {
		return p.all
	}
	for p.all = p.all[1:]; len(p.all) > 0 && p.all[0].kind == ""; {
		p.all = p.all[1:]
	}
	return p.all
}

// A parser reads lines in order.
type parser struct {
	lines []string
	at    int
	all   []block
	item  int // the column of the text in the list item above
}

// next reads a line, and those that belong to it.
func (p *parser) next() {
	line := p.lines[p.at]
	plain, last := strings.TrimSpace(line), &block{}
	if len(p.all) > 0 {
		last = &p.all[len(p.all)-1]
	}
	goesOn := last.kind == "p" || last.kind == "li"
	b := block{indent: indent(line)}
	if b.indent == 0 && plain != "" && !goesOn {
		p.item = 0
	}
	m := start().FindStringSubmatch(plain)
	p.at++
	switch {
	case plain == "":
	case !goesOn && b.indent >= p.item+4:
		b = block{kind: "pre", text: p.until(line, func(next string) bool { return indent(next) < p.item+4 })}
	case m == nil && goesOn && strings.Trim(plain, "=") == "":
		last.kind, last.mark = "h", "#"
		return
	case m == nil && goesOn && !strings.HasSuffix(last.text, `\`): // a command goes on in a line of its own
		last.text += " " + plain
		return
	case m == nil:
		b.kind, b.text = "p", plain
	case plain[0] == '>' && last.kind == "blockquote":
		last.text += "\n" + m[7]
		return
	default:
		p.start(&b, m, line, plain)
	}
	p.all = append(p.all, b)
}

// start reads a block that begins with a mark.
func (p *parser) start(b *block, m []string, line, plain string) {
	switch {
	case m[1] != "" && p.at == 1 && p.at < len(p.lines) && p.lines[1] != "": // metadata
		p.fenced(b, line, plain)
	case m[1] != "":
		b.kind, b.text = "pre", line
	case m[2] != "":
		b.kind, b.mark, b.text = "h", m[2], m[3]
	case m[4] != "":
		b.kind, b.mark, b.text = "li", m[4], m[5]
		p.item = b.indent + len(b.mark) + 1
	case m[6] != "":
		p.fenced(b, line, m[6])
	case m[8] != "":
		p.table(b, plain)
	default:
		b.kind, b.mark, b.text = "blockquote", ">", m[7]
	}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// until returns a line, and those that follow it until one ends them.
func (p *parser) until(line string, ends func(next string) bool) string {
	from := p.at
	for p.at < len(p.lines) && !ends(p.lines[p.at]) {
		p.at++
	}
	return strings.Join(append([]string{line}, p.lines[from:p.at]...), "\n")
}

// fenced reads code up to the fence that ends it.
func (p *parser) fenced(b *block, line, fence string) {
	text := p.until("", func(next string) bool { return strings.HasPrefix(strings.TrimSpace(next), fence) })
	b.kind, b.indent, b.mark, b.text = "pre", 0, line, strings.TrimPrefix(text, "\n")
	if p.at < len(p.lines) {
		b.end = p.lines[p.at]
		p.at++
	}
}

// table reads a table. Rows without a header, with more cells than that, or with a bar in a cell are code.
func (p *parser) table(b *block, line string) {
	b.kind, b.text = "table", p.until(line, func(next string) bool {
		return !strings.HasPrefix(strings.TrimSpace(next), "|")
	})
	for row := range strings.SplitSeq(b.text, "\n") {
		row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
		cells := strings.Split(row, "|")
		hasBar := func(cell string) bool { return strings.HasSuffix(cell, `\`) || strings.Count(cell, "`")%2 > 0 }
		if b.rows = append(b.rows, cells); len(cells) > len(b.rows[0]) || slices.ContainsFunc(cells, hasBar) {
			b.kind = "pre"
		}
	}
	if len(b.rows) < 2 || strings.Trim(strings.Join(b.rows[1], ""), "-: ") != "" {
		b.kind = "pre"
	} else {
		b.rows = append(b.rows[:1], b.rows[2:]...)
	}
}

// A span is text with the element that it has in HTML, or "".
type span struct{ text, kind string }

var marked = form.Pattern("`[^`]+`" + `|\*\*[^*]+\*\*|\*[^*]+\*|\b__?[^_]+__?\b|` +
	`https?://[^\s<>"'` + "`" + `()\[\]{}|\\*]+`)

// inline returns the spans of a line. It keeps the marks of bold text, or leaves them out.
func inline(line, kind string, keep bool) (spans []span) {
	done := 0
	for _, at := range marked().FindAllStringIndex(line, -1) {
		text, is := line[at[0]:at[1]], "code"
		inner := strings.Trim(text, "*_")
		switch mark := text[:(len(text)-len(inner))/2]; {
		case text[0] == 'h':
			is, text = "a", strings.TrimRight(text, ".,;:!?")
		case mark == "" || text[0] == '`':
		case !isEmphasis(line[:at[0]], inner, line[at[1]:]):
			continue
		default:
			if is = "em"; len(mark) > 1 {
				is = "strong"
			}
			if mark == "**" && !keep {
				spans = append(append(spans, span{line[done:at[0]], kind}), inline(inner, is, keep)...)
				done = at[1]
				continue
			}
		}
		spans = append(spans, span{line[done:at[0]], kind}, span{text, is})
		done = at[0] + len(text)
	}
	return append(spans, span{line[done:], kind})
}

// beside are the characters that can be beside the marks of bold text, notBold those at which the text has no end.
const (
	beside  = " .,;:!?()’”“—–…。，、：；！？（）「」"
	notBold = " /\\_=<>|&$#@^~{}[]+-"
)

// isEmphasis reports whether the marks around a text are not part of a path, a pattern or a formula.
func isEmphasis(before, text, after string) bool {
	ends := text[:1] + text[len(text)-1:]
	return (before == "" || strings.TrimRight(before, beside) != before) &&
		(after == "" || strings.TrimLeft(after, beside) != after) &&
		!strings.ContainsAny(ends, notBold) && text[0] != '.' && strings.Count(text, "`")%2 == 0
}
