// Package markdown shows a body on a terminal: Markdown as CommonMark and GitHub have it, in lines of a given width.
//
// The text is somebody else's. It is escaped as handoff.Escape does before it is parsed, and each piece once more when
// it is styled, because markup can put together what was apart. Nothing is decoded: an entity such as &#27; stays as it
// is written, a link is shown with its target and is none that the terminal knows, HTML is text. What Markdown would not show, such as
// comments and definitions of links, is shown, so that a person sees what an agent reads.
//
// Only what is styled here has control sequences: SGR with the 16 colours that a terminal has for light and dark.
package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	narrowest = 8  // columns that a block has, however deep it lies
	deepest   = 12 // blocks in blocks, before they are shown as they are written
)

// Options says how a text is shown.
type Options struct {
	Width int
	Plain bool // without any control sequence
}

// Lines returns the lines of a body; one that takes too long to parse is shown as it is. Each stands for itself: it ends with the style with which it began, none.
func Lines(body string, o Options) []string {
	o.Width = max(o.Width, narrowest)
	body = strings.ReplaceAll(strings.TrimRight(handoff.Escape(body), " \t\n"), "\t", "    ") + "\n" // the parser loses the last character of some last lines
	if !handoff.IsFitForMarkdown(body) {
		return plain(body, o.Width)
	}
	r := &renderer{source: []byte(body), Options: o}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser().Parse(text.NewReader(r.source))
	return r.blocks(doc, o.Width, 0)
}

// plain returns escaped text in lines that are cut where they are too wide.
func plain(escaped string, width int) []string {
	return strings.Split(ansi.Hardwrap(strings.TrimSuffix(escaped, "\n"), width, true), "\n")
}

var (
	none    = lipgloss.NewStyle()
	bold    = none.Bold(true)
	heading = bold.Foreground(lipgloss.Cyan)
	italic  = none.Italic(true)
	struck  = none.Strikethrough(true)
	code    = none.Foreground(lipgloss.Yellow)
	link    = none.Underline(true)
	faint   = none.Faint(true)
)

type renderer struct {
	Options
	source []byte
}

// say returns a piece of text in a style.
func (r *renderer) say(text string, s lipgloss.Style) string {
	text = handoff.EscapeLine(text)
	if r.Plain || text == "" {
		return text
	}
	return s.Render(text)
}

// wrap returns styled text in lines, and never fewer than one.
func wrap(styled string, width int) []string {
	width = max(width, narrowest)
	fits := ansi.Hardwrap(ansi.Wrap(styled, width, " "), width, true) // Wrap lets a hyphen stand beyond the width
	return strings.Split(lipgloss.Wrap(fits, width, " "), "\n")
}

// indent puts one prefix before the first line, and another before the others.
func indent(lines []string, first, rest string) []string {
	for i := range lines {
		lines[i] = first + lines[i]
		first = rest
	}
	return lines
}
