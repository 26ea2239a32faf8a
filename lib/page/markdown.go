package page

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// maxDepth is the maximum depth of lists and quotes in a body that is rendered as Markdown.
const maxDepth = 60

// markdown returns a body as harmless HTML: without scripts, styles, pictures, ids and forms. It omits a heading
// that repeats the title. A body that Parse refuses, or that is too deep, is shown as source text.
func markdown(body, title string) template.HTML {
	text, _ := form.Escape(body)
	source := []byte(text)
	doc := Parse(source, title)
	if doc == nil || isDeeper(doc, maxDepth) {
		return asText(text)
	}
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		block.SetAttributeString("dir", []byte("auto")) // Arabic and Hebrew begin on the right
	}
	arrange(doc)
	var b bytes.Buffer
	if converter().Renderer().Render(&b, source, doc) != nil {
		return asText(text)
	}
	return template.HTML(b.String())
}

// Parse parses an escaped body as CommonMark with GitHub extensions. It omits a first heading that repeats the title.
// It returns nil for a body that takes too long.
func Parse(escaped []byte, title string) ast.Node {
	if !form.IsFitForMarkdown(string(escaped)) {
		return nil
	}
	doc := converter().Parser().Parse(gtext.NewReader(escaped))
	h, ok := doc.FirstChild().(*ast.Heading)
	if ok && document.IsTitle(string(h.Lines().Value(escaped)), title) {
		doc.RemoveChild(doc, h)
	}
	return doc
}

// arrange moves the headings of a body below the page heading, so that none skips a level, and marks task lists.
func arrange(doc ast.Node) {
	var above []int // the levels of the headings above
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if !entering {
				break
			}
			for len(above) > 0 && above[len(above)-1] >= n.Level {
				above = above[:len(above)-1]
			}
			above = append(above, n.Level)
			n.Level = min(len(above)+1, 6)
			n.SetAttributeString("dir", []byte("auto"))
		case *extast.TaskCheckBox:
			if item := n.Parent().Parent(); entering && item.Kind() == ast.KindListItem {
				item.Parent().SetAttributeString("class", []byte("tasks"))
			}
		}
		return ast.WalkContinue, nil
	})
}

// isDeeper reports whether the tree below a node has more than this many levels.
func isDeeper(n ast.Node, than int) bool {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if than == 0 || isDeeper(child, than-1) {
			return true
		}
	}
	return false
}

// asText returns text as it is, in a block that can be scrolled with the keyboard.
func asText(text string) template.HTML {
	return template.HTML("<pre tabindex=\"0\">" + template.HTMLEscapeString(text) + "</pre>")
}

// converter is built for the first body, since building it takes longer than most commands.
var converter = sync.OnceValue(func() goldmark.Markdown {
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(
		goldmark.WithExtensions(table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(safeRenderer{}, 1))),
	)
})

// safeRenderer renders nodes that could reach outside of the page, or change its structure, in a harmless form.
type safeRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (p safeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	for _, kind := range []ast.NodeKind{ast.KindLink, ast.KindAutoLink, ast.KindImage, ast.KindRawHTML,
		extast.KindTaskCheckBox} {
		r.Register(kind, p.inline)
	}
	for _, kind := range []ast.NodeKind{ast.KindHTMLBlock, ast.KindFencedCodeBlock, ast.KindCodeBlock,
		extast.KindTable} {
		r.Register(kind, p.block)
	}
}

// Written returns the source of a table, and whether the parser has kept all of it. The parser drops cells beyond
// those of the header, but people must see them as agents do.
func Written(table ast.Node, source []byte) (text string, isWhole bool) {
	isWhole = true
	begin, end := len(source), 0
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if cell.Lines().Len() == 0 { // the row has fewer cells than the header
				continue
			}
			at := cell.Lines().At(0)
			rest, _, _ := bytes.Cut(source[at.Stop:], []byte("\n"))
			begin, end = min(begin, at.Start), max(end, at.Stop+len(rest))
			isWhole = isWhole && (cell.NextSibling() != nil || len(bytes.Trim(rest, " \t|")) == 0)
		}
	}
	return string(source[bytes.LastIndexByte(source[:min(begin, end)], '\n')+1 : end]), isWhole
}

// block renders a table or a text, which can be scrolled with the keyboard. Code has no class from the body, and a
// block of HTML is text.
func (safeRenderer) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	before, after := "<pre tabindex=\"0\">", "</pre>\n"
	switch block := n.(type) {
	case *extast.Table:
		if written, isWhole := Written(n, source); !isWhole {
			if entering {
				w.WriteString(string(asText(written)))
			}
			return ast.WalkSkipChildren, nil
		}
		before = `<div class="scroll" dir="auto" tabindex="0" role="group" aria-label="Table"><table>` + "\n"
		after = "</table></div>\n"
	case *ast.HTMLBlock:
		if block.HasClosure() {
			after = template.HTMLEscapeString(string(block.ClosureLine.Value(source))) + after
		}
	default:
		before, after = before+"<code>", "</code>"+after
	}
	if !entering {
		w.WriteString(after)
		return ast.WalkContinue, nil
	}
	w.WriteString(before)
	if n.Kind() != extast.KindTable {
		writeText(w, source, n.Lines())
	}
	return ast.WalkContinue, nil
}

// inline renders a link with its target, and only to web and mail addresses; the name of a picture, which is not
// loaded; HTML as text; and the state of a task, which is not a control.
func (safeRenderer) inline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch n := n.(type) {
	case *ast.Link:
		to := string(n.Destination)
		host, ok := leadsTo(to)
		switch {
		case entering && ok:
			openLink(w, to)
		case entering:
		case ok:
			w.WriteString("</a> <span class=\"to\">(" + template.HTMLEscapeString(host) + ")</span>")
		default:
			w.WriteString(" <code>" + template.HTMLEscapeString(to) + "</code>")
		}
	case *ast.AutoLink: // its text is its target
		if entering {
			writeAddress(w, source, n)
		}
	case *ast.Image:
		if entering {
			w.WriteString("<span class=\"picture\">picture: ")
		} else {
			w.WriteString(" <code>" + template.HTMLEscapeString(string(n.Destination)) + "</code></span>")
		}
	case *ast.RawHTML:
		if entering {
			writeText(w, source, n.Segments)
		}
		return ast.WalkSkipChildren, nil
	case *extast.TaskCheckBox:
		state := map[bool]string{true: "checked", false: "open"}[n.IsChecked]
		if entering {
			w.WriteString(`<svg class="box-mark" role="img" aria-label="` + state + `"><use href="#m-` + state +
				`"/></svg>`)
		}
	}
	return ast.WalkContinue, nil
}

// openLink begins a link that reveals nothing about the page to its target.
func openLink(w util.BufWriter, to string) {
	w.WriteString("<a rel=\"noopener noreferrer nofollow\" href=\"" + template.HTMLEscapeString(to) + "\">")
}

// leadsTo returns the part of a link target that readers must see, and whether the link is allowed.
func leadsTo(to string) (host string, ok bool) {
	u, err := url.Parse(to)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return form.EscapeLine(u.Host), u.Host != ""
	case "mailto":
		return "mail", true
	}
	return "", false
}

// writeAddress writes an address as a link, if it may be one.
func writeAddress(w util.BufWriter, source []byte, link *ast.AutoLink) {
	to, label := string(link.URL(source)), template.HTMLEscapeString(string(link.Label(source)))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	if _, ok := leadsTo(to); !ok {
		w.WriteString("<code>" + label + "</code>")
		return
	}
	openLink(w, to)
	w.WriteString(label + "</a>")
}

// writeText writes lines or segments as text.
func writeText(w util.BufWriter, source []byte, lines *gtext.Segments) {
	for i := range lines.Len() {
		at := lines.At(i)
		w.WriteString(template.HTMLEscapeString(string(at.Value(source))))
	}
}
