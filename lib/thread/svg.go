package thread

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

// The measures of a picture.
const (
	rowHigh  = 46
	laneWide = 120
	headHigh = 64
	margin   = 24
	gutter   = 12 // of each line that connects two rows
	mostBows = 8  // of those lines side by side
	timeWide = 128
	nameLong = 15 // characters
	noteWide = 420
)

// A colour has a strong and a pale tone.
type colour struct{ strong, pale string }

var colours = map[string]colour{
	"unread":     {"#2563eb", "#dbeafe"},
	"offered":    {"#0891b2", "#cffafe"},
	"read":       {"#475569", "#e2e8f0"},
	"taken":      {"#7c3aed", "#ede9fe"},
	"awaiting":   {"#b45309", "#fef3c7"},
	"done":       {"#15803d", "#dcfce7"},
	"superseded": {"#64748b", "#f1f5f9"},
	"expired":    {"#c2410c", "#ffedd5"},
	"archived":   {"#64748b", "#f1f5f9"},
}

func colourOf(state string) colour {
	if c, ok := colours[state]; ok {
		return c
	}
	return colour{"#be123c", "#ffe4e6"}
}

// maxLanes is how many people have a lane of their own; all others share one.
const maxLanes = 14

// people returns who has a lane, in the order in which they come into the thread: of many, those with
// most handoffs.
func (t Thread) people() (all []string) {
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

// place is the lane of a person.
func place(people []string, name string) int {
	if at := slices.Index(people, name); at >= 0 {
		return at
	}
	return len(people) - 1
}

// A picture is an SVG that is being drawn.
type picture struct {
	strings.Builder
	people []string
	bows   int // columns of lines that connect rows
	left   int // where the lanes begin
	notes  int // where the words begin
}

// SVG returns the thread as a picture for browsers: a lane for each person, a row for each handoff
// with an arrow from who handed over to whom, and at the left lines from each handoff to those that
// name it. It stands alone, has no script, and follows light and dark.
func (t Thread) SVG() string {
	at := t.numbers()
	bows := t.bows(at)
	p := &picture{people: t.people()}
	for _, b := range bows {
		p.bows = max(p.bows, b.column+1)
	}
	p.left = margin + p.bows*gutter + timeWide
	p.notes = p.left + len(p.people)*laneWide
	wide, high := p.notes+noteWide+margin, headHigh+len(t.Nodes)*rowHigh+margin
	if t.Left > 0 {
		high += rowHigh / 2
	}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Thread of %d handoffs: who handed what to whom">`+"\n", wide, high, wide, high, len(t.Nodes))
	p.WriteString(style)
	fmt.Fprintf(p, `<rect class="back" width="%d" height="%d" rx="14"/>`+"\n", wide, high)
	for i, n := range t.Nodes {
		p.band(i, n.ID == t.Asked, wide)
	}
	for i, name := range p.people {
		p.lane(i, name, headHigh+len(t.Nodes)*rowHigh)
	}
	for _, b := range bows {
		p.bow(b)
	}
	for i, n := range t.Nodes {
		p.node(i, n, at)
	}
	if t.Left > 0 {
		fmt.Fprintf(p, `<text class="faint" x="%d" y="%d">%d more are not drawn</text>`+"\n", p.left, high-margin+4, t.Left)
	}
	p.WriteString("</svg>\n")
	return p.String()
}

const style = `<style>
text{font:13px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#0f172a}
.back{fill:#fff}.band{fill:#f8fafc}.asked{fill:#eff6ff}.lane{stroke:#e2e8f0;stroke-width:2}
.who{fill:#f1f5f9;stroke:#e2e8f0}.name{font-weight:600;text-anchor:middle}
.time,.faint{fill:#64748b;font-size:12px}.mono{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#94a3b8}
.topic{font-weight:600}.pill{font-size:11px;font-weight:600;text-anchor:middle}.bow{fill:none;stroke:#94a3b8;stroke-width:1.6}
@media (prefers-color-scheme:dark){text{fill:#e2e8f0}.back{fill:#0f172a}.band{fill:#131d33}.asked{fill:#1e2b4a}.lane{stroke:#27344d}
.who{fill:#1e293b;stroke:#334155}.time,.faint{fill:#94a3b8}.mono{fill:#64748b}.bow{stroke:#64748b}}
</style>
`

// row is the middle of a row.
func row(i int) int { return headHigh + i*rowHigh + rowHigh/2 }

// band is the ground of a row: every second, and the one that was asked for.
func (p *picture) band(i int, asked bool, wide int) {
	class := "band"
	if asked {
		class = "asked"
	} else if i%2 == 1 {
		return
	}
	fmt.Fprintf(p, `<rect class="%s" x="8" y="%d" width="%d" height="%d" rx="8"/>`+"\n", class, row(i)-rowHigh/2, wide-16, rowHigh)
}

// laneAt is the middle of a lane.
func (p *picture) laneAt(i int) int { return p.left + i*laneWide + laneWide/2 }

// lane draws a person: a name, and a line down to the end.
func (p *picture) lane(i int, name string, end int) {
	x := p.laneAt(i)
	fmt.Fprintf(p, `<line class="lane" x1="%d" y1="%d" x2="%d" y2="%d"/><rect class="who" x="%d" y="18" width="%d" height="28" rx="14"/><text class="name" x="%d" y="37">%s</text>`+"\n",
		x, headHigh-18, x, end, x-laneWide/2+6, laneWide-12, x, cut(name, nameLong-2))
}

// node draws a handoff.
func (p *picture) node(i int, n Node, at map[string]int) {
	y, c := row(i), colourOf(n.State)
	from, to := p.laneAt(place(p.people, n.From)), p.laneAt(place(p.people, n.To))
	fmt.Fprintf(p, `<g><title>%s</title><text class="time" x="%d" y="%d">%s</text>`, text(n.ID), p.left-timeWide+10, y+4, text(when(n.Time)))
	back, tip := -9, to-6
	if to < from {
		back, tip = 9, to+6
	}
	switch dashes := ""; {
	case n.From == "":
		fmt.Fprintf(p, `<circle cx="%d" cy="%d" r="6" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="3 3"/>`, p.left-timeWide+20, y, c.strong)
	case from == to:
		fmt.Fprintf(p, `<path d="M%d %dc34 -16 34 16 6 7" fill="none" stroke="%s" stroke-width="2.4"/><path d="M%d %dl9 -4v8z" fill="%s"/><circle cx="%d" cy="%d" r="5" fill="%s"/>`, from, y-4, c.strong, from+6, y+4, c.strong, from, y, c.strong)
	default:
		if n.State == "superseded" || n.State == "expired" || n.State == "archived" {
			dashes = ` stroke-dasharray="5 4"`
		}
		fmt.Fprintf(p, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2.4"%s/><path d="M%d %dl%d -6v12z" fill="%s"/><circle cx="%d" cy="%d" r="5" fill="%s"/>`,
			from, y, tip+back, y, c.strong, dashes, tip, y, back, c.strong, from, y, c.strong)
	}
	p.words(y, i+1, n, at)
	p.WriteString("</g>\n")
}

// words says at the right of a row what it is about: number, topic and state, and below what it has to
// do with others.
func (p *picture) words(y, number int, n Node, at map[string]int) {
	c := colourOf(n.State)
	pill := 20 + 7*len([]rune(n.State))
	x := p.notes + 8
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="20" rx="10" fill="%s"/><text class="pill" x="%d" y="%d" style="fill:%s">%s</text>`,
		x, y-18, pill, c.pale, x+pill/2, y-4, c.strong, text(n.State))
	fmt.Fprintf(p, `<text class="topic" x="%d" y="%d">%s</text>`, x+pill+8, y-4, cut(fmt.Sprint(number, " ", n.title()), 40))
	below := n.how(numbered(at))
	fmt.Fprintf(p, `<text x="%d" y="%d"><tspan class="mono">%s</tspan><tspan class="faint" dx="8">%s</tspan></text>`, x+2, y+15, text(short(n.ID)), cut(below, 48))
}

// A bow connects two rows at the left, in a column of its own.
type bow struct {
	from, to, column int
	style            string
}

// bows returns the lines from what is named to what names it. Those that would overlap lie in
// different columns.
func (t Thread) bows(at map[string]int) (all []bow) {
	for i, n := range t.Nodes {
		for _, e := range n.edges() {
			if k := at[e.id]; k > 0 && k != i+1 {
				all = append(all, bow{from: min(k-1, i), to: max(k-1, i), style: e.style})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b bow) int { return (a.to - a.from) - (b.to - b.from) })
	taken := make([][]bow, mostBows)
	for i := range all {
		b := &all[i]
		for b.column = 0; b.column < mostBows-1; b.column++ {
			if !slices.ContainsFunc(taken[b.column], func(o bow) bool { return b.from < o.to && o.from < b.to }) {
				break
			}
		}
		taken[b.column] = append(taken[b.column], *b)
	}
	return all
}

func (p *picture) bow(b bow) {
	end := margin + p.bows*gutter
	x := end - (b.column+1)*gutter + 2
	y1, y2 := row(b.from)+5, row(b.to)-5
	dashes := map[string]string{"dashed": ` stroke-dasharray="5 4"`, "dotted": ` stroke-dasharray="1.5 3.5"`}[b.style]
	fmt.Fprintf(p, `<path class="bow"%s d="M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d"/><path d="M%d %dl-6 -3.5v7z" fill="#94a3b8"/>`+"\n",
		dashes, end+4, y1, x+7, x, y1, x, y1+7, y2-7, x, y2, x+7, y2, end, end+5, y2)
}

// text is fit for an SVG.
func text(s string) string { return html.EscapeString(render.EscapeLine(s)) }

// cut is text of at most so many characters.
func cut(s string, most int) string {
	if r := []rune(render.EscapeLine(s)); len(r) > most {
		return html.EscapeString(string(r[:most-1])) + "…"
	}
	return text(s)
}
