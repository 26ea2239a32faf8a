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
// that repeats the title. A body that is too long or too deep is shown as source text.
func markdown(body, title string) template.HTML {
	text, _ := form.Escape(body)
	if !form.IsFitForMarkdown(text) {
		return asText(text)
	}
	var b bytes.Buffer
	source := []byte(text)
	doc := converter().Parser().Parse(gtext.NewReader(source))
	h, ok := doc.FirstChild().(*ast.Heading)
	if ok && document.IsTitle(string(h.Lines().Value(source)), title) {
		doc.RemoveChild(doc, h)
	}
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		block.SetAttributeString("dir", []byte("auto")) // Arabic and Hebrew begin on the right
	}
	if isDeeper(doc, maxDepth) {
		return asText(text)
	}
	arrange(doc)
	if converter().Renderer().Render(&b, source, doc) != nil {
		return asText(text)
	}
	return template.HTML(b.String())
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
	r.Register(ast.KindLink, p.link)
	r.Register(ast.KindAutoLink, p.autoLink)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindRawHTML, p.rawHTML)
	r.Register(ast.KindHTMLBlock, p.htmlBlock)
	r.Register(ast.KindFencedCodeBlock, p.code)
	r.Register(ast.KindCodeBlock, p.code)
	r.Register(extast.KindTaskCheckBox, p.checkBox)
	r.Register(extast.KindTable, p.table)
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

// table renders a table that can be scrolled with the keyboard.
func (safeRenderer) table(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if written, isWhole := Written(n, source); !isWhole {
		if entering {
			w.WriteString(string(asText(written)))
		}
		return ast.WalkSkipChildren, nil
	}
	if entering {
		w.WriteString(`<div class="scroll" dir="auto" tabindex="0" role="group" aria-label="Table"><table>` + "\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// link renders a link with its target. It leads only to web and mail addresses.
func (safeRenderer) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(n.(*ast.Link).Destination)
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

// autoLink renders an address as a link. Its text is its target.
func (safeRenderer) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	to, label := string(link.URL(source)), template.HTMLEscapeString(string(link.Label(source)))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	if _, ok := leadsTo(to); !ok {
		w.WriteString("<code>" + label + "</code>")
		return ast.WalkContinue, nil
	}
	openLink(w, to)
	w.WriteString(label + "</a>")
	return ast.WalkContinue, nil
}

// image renders the name of a picture and loads nothing.
func (safeRenderer) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<span class=\"picture\">picture: ")
	} else {
		w.WriteString(" <code>" + template.HTMLEscapeString(string(n.(*ast.Image).Destination)) + "</code></span>")
	}
	return ast.WalkContinue, nil
}

// rawHTML renders inline HTML as text.
func (safeRenderer) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			at := segments.At(i)
			w.WriteString(template.HTMLEscapeString(string(at.Value(source))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// htmlBlock renders a block of HTML as text.
func (safeRenderer) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	block := n.(*ast.HTMLBlock)
	if entering {
		w.WriteString("<pre tabindex=\"0\">")
		writeLines(w, source, n)
		return ast.WalkContinue, nil
	}
	if block.HasClosure() {
		w.WriteString(template.HTMLEscapeString(string(block.ClosureLine.Value(source))))
	}
	w.WriteString("</pre>\n")
	return ast.WalkContinue, nil
}

// code renders a block that can be scrolled with the keyboard, without the class from the body.
func (safeRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<pre tabindex=\"0\"><code>")
		writeLines(w, source, n)
	} else {
		w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}

// checkBox renders the state of a task. It is not a control.
func (safeRenderer) checkBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	state := "open"
	if n.(*extast.TaskCheckBox).IsChecked {
		state = "checked"
	}
	if entering {
		w.WriteString(`<svg class="box-mark" role="img" aria-label="` + state + `"><use href="#m-` + state +
			`"/></svg>`)
	}
	return ast.WalkContinue, nil
}

// writeLines writes the lines of a block as text.
func writeLines(w util.BufWriter, source []byte, n ast.Node) {
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		w.WriteString(template.HTMLEscapeString(string(at.Value(source))))
	}
}
