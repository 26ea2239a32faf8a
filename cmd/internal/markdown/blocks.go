package markdown

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension/ast"
)

// blocks returns the lines of the blocks in parent, separated by empty lines except in tight lists.
func (r *renderer) blocks(parent ast.Node, width, depth int) []string {
	var lines []string
	list, _ := parent.(*ast.List)
	_, item := parent.(*ast.ListItem)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if tight := list != nil && list.IsTight || item && n.Kind() == ast.KindList; len(lines) > 0 && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, r.block(n, width, depth)...)
	}
	return lines
}

func (r *renderer) block(n ast.Node, width, depth int) []string {
	if depth > deepest || width < narrowest {
		return r.written(n, width)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(r.inline(n, heading), width)
	case *gfm.Table:
		return r.table(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		if r.isTable(n) {
			return r.cut(strings.TrimRight(r.text(n), "\n"), width, none)
		}
		return wrap(r.inline(n, none), width)
	case *ast.Blockquote:
		bar := r.say("│ ", faint)
		return indent(r.blocks(n, width-2, depth+1), bar, bar)
	case *ast.List:
		return r.blocks(n, width, depth+1)
	case *ast.ListItem:
		mark := bullet(n)
		return indent(r.blocks(n, width-len([]rune(mark)), depth+1), r.say(mark, faint),
			strings.Repeat(" ", len([]rune(mark))))
	case *ast.FencedCodeBlock:
		return append(r.info(n, width), r.code(n, width)...)
	case *ast.CodeBlock:
		return r.code(n, width)
	case *ast.ThematicBreak:
		return []string{r.say(strings.Repeat("─", width), faint)}
	}
	return r.written(n, width)
}

// bullet returns the mark of a list item: a box for a task.
func bullet(item *ast.ListItem) string {
	if block := item.FirstChild(); block != nil {
		if box, ok := block.FirstChild().(*gfm.TaskCheckBox); ok && box.IsChecked {
			return "☑ "
		} else if ok {
			return "☐ "
		}
	}
	list, ok := item.Parent().(*ast.List)
	if !ok || !list.IsOrdered() {
		return "• "
	}
	number := list.Start
	for before := item.PreviousSibling(); before != nil; before = before.PreviousSibling() {
		number++
	}
	return fmt.Sprintf("%d%c ", number, list.Marker)
}

// written returns the source of a block: code, HTML, and blocks that cannot be shown otherwise.
func (r *renderer) written(n ast.Node, width int) []string {
	return r.cut(strings.TrimRight(r.text(n), "\n"), width, code)
}

func (r *renderer) code(n ast.Node, width int) []string {
	return indent(r.cut(strings.TrimRight(string(n.Lines().Value(r.source)), "\n"), width-2, code), "  ", "  ")
}

// info returns the info string of a code block, such as its language.
func (r *renderer) info(n *ast.FencedCodeBlock, width int) []string {
	if n.Info == nil {
		return nil
	}
	return r.cut(string(n.Info.Value(r.source)), width, faint)
}

// cut returns text as lines, and breaks those that are too wide.
func (r *renderer) cut(text string, width int, s lipgloss.Style) []string {
	lines := strings.Split(ansi.Hardwrap(text, max(width, narrowest), true), "\n")
	for i, line := range lines {
		lines[i] = r.say(line, s)
	}
	return lines
}

// text returns the source of a block, or of its children if it has no lines.
func (r *renderer) text(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering || n.Type() == ast.TypeInline:
			return ast.WalkContinue, nil
		case n.Kind() == ast.KindFencedCodeBlock:
			b.WriteString(strings.Join(append(r.info(n.(*ast.FencedCodeBlock), len(r.source)), ""), "\n"))
		}
		if n.Lines() != nil {
			b.Write(n.Lines().Value(r.source))
		}
		if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
			b.Write(html.ClosureLine.Value(r.source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// isTable reports whether a paragraph is aligned in columns. Such a paragraph is shown as it is.
func (r *renderer) isTable(n ast.Node) bool {
	lines := n.Lines()
	for i := range lines.Len() {
		if at := lines.At(i); !strings.HasPrefix(strings.TrimLeft(string(at.Value(r.source)), " "), "|") {
			return false
		}
	}
	return lines.Len() > 1
}
