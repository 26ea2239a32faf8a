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

// maxDepth is how deep lists and quotes may be nested in what is read as Markdown.
const maxDepth = 60

// markdown returns a body as HTML that can do nothing: it has no script, no style, no picture, no id and no form. A
// heading that says what the title says is left out. A body that is too long or too deep is shown as it is.
func markdown(body, title string) template.HTML {
	text, _ := form.Escape(body)
	if !form.IsFitForMarkdown(text) {
		return asText(text)
	}
	var b bytes.Buffer
	source := []byte(text)
	doc := converter().Parser().Parse(gtext.NewReader(source))
	h, ok := doc.FirstChild().(*ast.Heading)
	if ok && document.Title("# "+string(h.Lines().Value(source)), "") == title {
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

// arrange puts the headings of a body below that of the page, none deeper than one below the one before, and marks
// lists of tasks.
func arrange(doc ast.Node) {
	var above []int // the levels of the headings that a heading stands below
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
		case *extast.TaskCheckBox:
			if item := n.Parent().Parent(); entering && item.Kind() == ast.KindListItem {
				item.Parent().SetAttributeString("class", []byte("tasks"))
			}
		}
		return ast.WalkContinue, nil
	})
}

// isDeeper reports whether a node has more generations below it than so many.
func isDeeper(n ast.Node, than int) bool {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if than == 0 || isDeeper(child, than-1) {
			return true
		}
	}
	return false
}

// asText returns a text as it is written. It can be scrolled with the keyboard.
func asText(text string) template.HTML {
	return template.HTML("<pre tabindex=\"0\">" + template.HTMLEscapeString(text) + "</pre>")
}

// converter is built when the first body is drawn: building it takes longer than most commands do.
var converter = sync.OnceValue(func() goldmark.Markdown {
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(
		goldmark.WithExtensions(table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plain{}, 1))),
	)
})

// plain draws what could reach outside of the page, or take over its structure, in a form that cannot.
type plain struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (p plain) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, p.heading)
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

// heading has no id that the body chose.
func (plain) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name := "h" + string(rune('0'+n.(*ast.Heading).Level))
	if entering {
		w.WriteString("<" + name + ` dir="auto">`)
	} else {
		w.WriteString("</" + name + ">\n")
	}
	return ast.WalkContinue, nil
}

// Written returns a table as it is written, and whether the parser has kept all of it: it drops what a row has beyond
// the cells of the header, which people are to see as agents do.
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

// table can be scrolled with the keyboard.
func (plain) table(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if written, isWhole := Written(n, source); !isWhole {
		if entering {
			w.WriteString(string(asText(written)))
		}
		return ast.WalkSkipChildren, nil
	}
	if entering {
		w.WriteString(`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table dir="auto">` + "\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// link shows where a link leads, and leads only to the web and to mail.
func (plain) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
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

// openLink begins a link that tells its target nothing about the page.
func openLink(w util.BufWriter, to string) {
	w.WriteString("<a rel=\"noopener noreferrer nofollow\" href=\"" + template.HTMLEscapeString(to) + "\">")
}

// leadsTo returns what a reader should know about the target of a link, and whether there may be one.
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

// autoLink draws an address that stands for itself. What it shows is where it leads.
func (plain) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
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

// image names a picture and loads nothing.
func (plain) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<span class=\"picture\">picture: ")
	} else {
		w.WriteString(" <code>" + template.HTMLEscapeString(string(n.(*ast.Image).Destination)) + "</code></span>")
	}
	return ast.WalkContinue, nil
}

// rawHTML shows HTML within a line as it is written.
func (plain) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			at := segments.At(i)
			w.WriteString(template.HTMLEscapeString(string(at.Value(source))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// htmlBlock shows a block of HTML as it is written.
func (plain) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
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

// code can be scrolled with the keyboard, and has no class that the body chose.
func (plain) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<pre tabindex=\"0\"><code>")
		writeLines(w, source, n)
	} else {
		w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}

// checkBox shows a task as done or open; it is no control.
func (plain) checkBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	state := "open"
	if n.(*extast.TaskCheckBox).IsChecked {
		state = "checked"
	}
	if entering {
		w.WriteString(`<svg class="box-mark" role="img" aria-label="` + state + `"><use href="#m-` + state + `"/></svg>`)
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
