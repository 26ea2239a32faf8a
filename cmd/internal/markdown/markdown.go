// Package markdown shows a Markdown body on a terminal, as lines of a given width. It supports CommonMark and
// GitHub extensions.
//
// The text is untrusted. It is escaped like handoff.Escape before it is parsed, and each piece again when it is
// styled, since markup can join separated parts. Nothing is decoded: an entity such as &#27; stays as written. A
// link is shown with its target, not as a terminal link; HTML is text. Parts that Markdown hides, such as
// comments and link definitions, are shown, so that people see what agents read.
//
// Only styles produce control sequences: SGR with the terminal's 16 colors.
package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/page"
)

const (
	narrowest = 8  // the minimum width of a block at any depth
	deepest   = 12 // the depth of blocks beyond which the source is shown
)

// Options are the options of Lines.
type Options struct {
	Width int
	Title string // a first heading that repeats it is left out
	Plain bool   // without control sequences
}

// Lines returns the lines of a body. It shows the source of a body that takes too long to parse. Each line starts
// and ends without a style.
func Lines(body string, o Options) []string {
	o.Width = max(o.Width, narrowest)
	// The newline is needed: the parser loses the last character of some last lines.
	body = strings.ReplaceAll(strings.TrimRight(handoff.Escape(body), " \t\n"), "\t", "    ") + "\n"
	r := &renderer{source: []byte(body), Options: o}
	doc := page.Parse(r.source, o.Title)
	if doc == nil {
		return hardWrap(body, o.Width)
	}
	return r.blocks(doc, o.Width, 0)
}

// hardWrap returns escaped text as lines, and breaks those that are too wide.
func hardWrap(escaped string, width int) []string {
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

// say returns text in a style.
func (r *renderer) say(text string, s lipgloss.Style) string {
	text = handoff.EscapeLine(text)
	if r.Plain || text == "" {
		return text
	}
	return s.Render(text)
}

// wrap returns styled text as one or more lines.
func wrap(styled string, width int) []string {
	width = max(width, narrowest)
	fits := ansi.Hardwrap(ansi.Wrap(styled, width, " "), width, true) // Wrap can put a hyphen beyond the width
	return strings.Split(lipgloss.Wrap(fits, width, " "), "\n")
}

// indent prefixes the first line with first, and the others with rest.
func indent(lines []string, first, rest string) []string {
	for i := range lines {
		lines[i] = first + lines[i]
		first = rest
	}
	return lines
}
