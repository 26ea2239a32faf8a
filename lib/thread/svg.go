package thread

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// maxLanes is the maximum number of lanes in a picture. If there are more people, the busiest have their own
// lanes and the others share one.
const maxLanes = 12

// People returns the people with lanes, in the order in which they appear in the thread.
func (t Thread) People() (all []string) {
	count := make(map[string]int)
	for _, n := range t.Nodes {
		for _, name := range []string{n.From, n.To} {
			if name == "" {
				continue
			}
			if count[name]++; count[name] == 1 {
				all = append(all, name)
			}
		}
	}
	if len(all) <= maxLanes {
		return all
	}
	busy := slices.Clone(all)
	slices.SortStableFunc(busy, func(a, b string) int { return count[b] - count[a] })
	busy = busy[:maxLanes-1]
	others := len(all) - len(busy)
	all = slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(busy, name) })
	return append(all, fmt.Sprint(others, " others"))
}

// Lane returns the lane of a person among the result of People, from 0.
func Lane(people []string, name string) int {
	if at := slices.Index(people, name); at >= 0 {
		return at
	}
	return len(people) - 1
}

// Center returns the center of a lane, in percent of the width of all n lanes.
func Center(lane, n int) string { return fmt.Sprintf("%.2f%%", (float64(lane)+.5)/float64(n)*100) }

// The dimensions of a picture, in pixels and in columns of text.
const (
	headHigh  = 54
	lineHigh  = 18
	titleWide = 44
	quietWide = 56
	nameWide  = 14
)

// A picture is an SVG that is drawn from top to bottom.
type picture struct {
	strings.Builder
	people []string
	y      int // the position of the next line of text
}

// SVG returns the thread as a picture for browsers. It has a lane for each person, and for each handoff an arrow
// from lane to lane, with title and state above it. A dashed arrow supersedes another handoff; a loop is
// addressed to the sender. The picture fills its width, needs no other file, has no script, and has light and
// dark colors.
func (t Thread) SVG() string { return t.Picture(palette.People(t.People())) }

// Picture returns the SVG for given looks of the people of [Thread.People], in their order.
func (t Thread) Picture(people []palette.Person) string {
	p := &picture{people: t.People(), y: headHigh}
	at := t.numbers()
	for _, n := range t.Nodes {
		p.node(n, at, n.ID == t.Asked && len(t.Nodes) > 1)
	}
	if t.Left > 0 {
		p.y += 2 * lineHigh
		fmt.Fprintf(p, `<text class="q" x="12" y="%d">%d more are not drawn</text>`+"\n", p.y, t.Left)
	}
	high := p.y + lineHigh
	var b strings.Builder
	about := ""
	if len(t.Nodes) > 0 {
		about = ": " + t.Nodes[0].title()
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="100%%" height="%d" role="img"`, high)
	fmt.Fprintf(&b, ` aria-label="Thread of %d handoffs%s">`+"\n<style>\n", len(t.Nodes), text(about))
	b.WriteString(palette.CSS() + style)
	for i := range p.people {
		fmt.Fprintf(&b, ".l%d{transform:translateX(%s)}", i, Center(i, len(p.people)))
	}
	fmt.Fprintf(&b, "\n</style>\n"+`<rect class="bg" width="100%%" height="%d" rx="8"/>`+"\n", high)
	for i, who := range people {
		fmt.Fprintf(&b, `<line class="lane" x1="%s" x2="%[1]s" y1="%d" y2="%d"/>`, Center(i, len(p.people)), headHigh,
			high-8)
		b.WriteString(head(who, Center(i, len(p.people)), len(p.people) > 4) + "\n")
	}
	return b.String() + p.String() + "</svg>\n"
}

// head draws the person of a lane. If there are many, a narrow screen hides the names; they are above each arrow
// too.
func head(who palette.Person, x string, many bool) string {
	disc, name := `<circle r="11"/>`, "n"
	if who.IsAgent {
		disc = `<rect x="-11" y="-11" width="22" height="22" rx="5"/>`
	}
	if many {
		name = "n many"
	}
	return fmt.Sprintf(`<svg class="o" x="%s" y="22"><g class="%s">%s</g><text class="i" y="4">%s</text>`+
		`<text class="%s" y="27">%s</text></svg>`,
		x, cmp.Or(who.Disc, "next"), disc, text(who.Initials), name, cut(who.Name, nameWide))
}

//go:embed svg.css
var style string

// node draws a handoff: lines of text, and the arrow below them.
func (p *picture) node(n Node, at map[string]int, asked bool) {
	from, to := Lane(p.people, n.From), Lane(p.people, n.To)
	lane, class := min(from, to), ""
	if 2*lane+1 > len(p.people) { // the text ends at the right end of the arrow
		lane, class = max(from, to), " e"
	}
	if asked {
		class += " asked"
	}
	fmt.Fprintf(p, `<g class="s-%s"><title>%s</title>`, palette.Of(n.State).State, text(n.ID))
	fmt.Fprintf(p, `<g class="t l%d%s">`, max(lane, 0), class)
	p.y += lineHigh / 2
	about := []string{fmt.Sprint(at[n.ID]), when(n.Time), cutName(n.From) + " → " + cutName(n.To), n.State}
	if n.From == "" {
		about = []string{fmt.Sprint(at[n.ID]), n.State}
	}
	p.line("q", form.Cut(strings.Join(about, " · "), quietWide))
	for _, line := range form.Wrap(n.title(), titleWide) {
		p.line("", line)
	}
	if how := n.how(numbered(at)); how != "" {
		p.line("q", form.Cut(how, quietWide))
	}
	p.WriteString("</g>")
	if n.From != "" {
		p.arrow(from, to, len(n.Supersedes) > 0)
	}
	p.WriteString("</g>\n")
}

// line writes a line of text and advances.
func (p *picture) line(class, escaped string) {
	p.y += lineHigh
	fmt.Fprintf(p, `<text class="%s" y="%d">%s</text>`, class, p.y, html.EscapeString(escaped))
}

// arrow draws the arrow from sender to recipient.
func (p *picture) arrow(from, to int, replaces bool) {
	p.y += lineHigh
	x1, x2 := Center(from, len(p.people)), Center(to, len(p.people))
	tip, class := "M1 0l-10-5v10z", "a"
	if to < from {
		tip = "M-1 0l10-5v10z"
	}
	if replaces {
		class = "a dash"
	}
	line := fmt.Sprintf(`<line class="%s" x1="%s" x2="%s" y1="%d" y2="%[4]d"/>`, class, x1, x2, p.y)
	loop := ""
	if from == to {
		line, tip = "", "M3 1l10 3-7 7z"
		loop = fmt.Sprintf(`<path class="%s" d="M0 -4C4 -14 22 -12 22 0S10 9 8 5"/>`, class)
	}
	fmt.Fprintf(p, `%s<circle class="h" cx="%s" cy="%d" r="4"/>`, line, x1, p.y)
	fmt.Fprintf(p, `<svg class="o" x="%s" y="%d">%s<path class="h" d="%s"/></svg>`, x2, p.y, loop, tip)
}

func cutName(name string) string { return form.Cut(name, nameWide) }

// text escapes s for SVG.
func text(s string) string { return html.EscapeString(form.EscapeLine(s)) }

// cut returns s escaped, shortened to most columns.
func cut(s string, most int) string { return html.EscapeString(form.Cut(s, most)) }
