package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

const (
	maxLanes = 14 // people with a lane of their own; all others share one
	laneWide = 110
	rowHigh  = 26
	left     = 130 // where the first lane stands, behind the times
	top      = 44
	others   = "others"
)

// timeline draws who handed what to whom: a lane a person, an arrow a handoff, time going down.
func timeline(base string, handoffs []*Handoff) template.HTML {
	return draw(base, "Timeline: who handed what to whom", slices.Backward(handoffs), lanes(handoffs))
}

// lanes returns who gets a lane, those with most handoffs, by name.
func lanes(handoffs []*Handoff) []string {
	n := make(map[string]int)
	for _, h := range handoffs {
		n[h.From]++
		n[h.To]++
	}
	var all []string
	for name := range n {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	if len(all) > maxLanes {
		all = all[:maxLanes-1]
		slices.Sort(all)
		return append(all, others)
	}
	slices.Sort(all)
	return all
}

// draw makes the picture.
func draw(base, label string, handoffs func(func(int, *Handoff) bool), people []string) template.HTML {
	var b strings.Builder
	lane := func(name string) int {
		at := slices.Index(people, name)
		if at < 0 {
			at = len(people) - 1
		}
		return left + at*laneWide + laneWide/2
	}
	labels := left + len(people)*laneWide + 10
	var arrows strings.Builder
	y := top
	for _, h := range handoffs {
		y += rowHigh
		drawOne(&arrows, base, h, lane(h.From), lane(h.To), labels, y)
	}
	wide, high := labels+360, y+rowHigh
	fmt.Fprintf(&b, `<svg class="lanes" role="group" aria-label="%s" viewBox="0 0 %d %d" width="%d" height="%d" xmlns="http://www.w3.org/2000/svg">`,
		template.HTMLEscapeString(label), wide, high, wide, high)
	for i, name := range people {
		x := left + i*laneWide + laneWide/2
		fmt.Fprintf(&b, `<line class="lane" x1="%d" y1="%d" x2="%d" y2="%d"/><text class="who" x="%d" y="24" text-anchor="middle">%s</text>`, x, top-10, x, high-8, x, cut(name, 14))
	}
	b.WriteString(arrows.String())
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// drawOne draws a handoff: an arrow from lane to lane, or a dot for one to oneself. All of it is a link.
func drawOne(b *strings.Builder, base string, h *Handoff, from, to, labels, y int) {
	class := "hand s-" + template.HTMLEscapeString(h.State)
	fmt.Fprintf(b, `<a class="%s" href="%s%s">`, class, base, fileOf(h.ID))
	fmt.Fprintf(b, `<text class="time" x="0" y="%d">%s</text>`, y+4, template.HTMLEscapeString(strings.TrimSuffix(when(h.Time), " UTC")))
	switch {
	case from == to:
		fmt.Fprintf(b, `<circle class="dot" cx="%d" cy="%d" r="6"/>`, from, y)
	default:
		tip := to - 7
		back := -8
		if to < from {
			tip, back = to+7, 8
		}
		fmt.Fprintf(b, `<line class="arrow" x1="%d" y1="%d" x2="%d" y2="%d"/><path class="head" d="M%d %dl%d -5v10z"/><circle class="dot" cx="%d" cy="%d" r="4"/>`,
			from, y, tip+back, y, tip, y, back, from, y)
	}
	fmt.Fprintf(b, `<text class="what" x="%d" y="%d">%s<tspan class="state"> %s</tspan></text></a>`, labels, y+4, cut(h.Topic, 40), template.HTMLEscapeString(h.State))
}

// cut returns a name of at most so many characters, fit for a picture.
func cut(name string, most int) string {
	runes := []rune(render.EscapeLine(name))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return template.HTMLEscapeString(string(runes))
}
