package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline returns the content of a block as styled text, with a newline for each hard line break.
func (r *renderer) inline(parent ast.Node, s lipgloss.Style) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(r.span(n, s))
	}
	return b.String()
}

func (r *renderer) span(n ast.Node, s lipgloss.Style) string {
	switch n := n.(type) {
	case *ast.Text:
		return r.words(n, s)
	case *ast.String:
		return r.say(string(n.Value), s)
	case *ast.CodeSpan:
		return r.say(r.raw(n), code)
	case *ast.Emphasis:
		if n.Level > 1 {
			return r.inline(n, s.Inherit(bold))
		}
		return r.inline(n, s.Inherit(italic))
	case *gfm.Strikethrough:
		return r.inline(n, s.Inherit(struck))
	case *gfm.TaskCheckBox: // shown instead of the bullet
		return ""
	case *ast.Link:
		return r.inline(n, s.Inherit(link)) + r.target(r.raw(n), n.Destination, n.Title)
	case *ast.Image:
		return r.say("image: ", faint) + r.inline(n, s) + r.target(r.raw(n), n.Destination, n.Title)
	case *ast.AutoLink:
		return r.say(string(n.Label(r.source)), s.Inherit(link))
	case *ast.RawHTML:
		return r.say(oneLine(string(n.Segments.Value(r.source))), code)
	}
	return r.inline(n, s)
}

func (r *renderer) words(n *ast.Text, s lipgloss.Style) string {
	text := string(n.Segment.Value(r.source))
	if !n.IsRaw() {
		text = string(util.UnescapePunctuations([]byte(text)))
	}
	text = r.say(text, s)
	switch {
	case n.HardLineBreak():
		return text + "\n"
	case n.SoftLineBreak():
		return text + " "
	}
	return text
}

// target returns the target of a link, unless its text shows it.
func (r *renderer) target(text string, destination, title []byte) string {
	to := string(destination)
	if len(title) > 0 {
		to += ` "` + oneLine(string(title)) + `"`
	}
	if to == "" || to == text {
		return ""
	}
	return r.say(" ("+oneLine(to)+")", faint)
}

// raw returns the text of a node without markup.
func (r *renderer) raw(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(r.source))
		}
		return ast.WalkContinue, nil
	})
	return oneLine(b.String())
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }
