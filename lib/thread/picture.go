package thread

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

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

// As returns the thread as a picture in a format: dot, mermaid or svg.
func (t Thread) As(format string) string {
	switch format {
	case "dot":
		return t.DOT()
	case "mermaid":
		return t.Mermaid()
	}
	return t.SVG()
}

// Mermaid returns the thread as a sequence diagram for Mermaid:
// https://mermaid.js.org/syntax/sequenceDiagram.html.
func (t Thread) Mermaid() string { return t.drawing().draw("mermaid.tmpl") }

// DOT returns the thread for Graphviz. A handoff is below those that it names.
func (t Thread) DOT() string { return t.drawing().draw("dot.tmpl") }

// SVG returns the thread as a picture for browsers. It has a lane for each person, and for each handoff an arrow
// from lane to lane, with title and state above it. A dashed arrow supersedes another handoff; a loop is
// addressed to the sender. The picture fills its width, needs no other file, has no script, and has light and
// dark colors.
func (t Thread) SVG() string { return t.Picture(palette.People(t.People())) }

// Picture returns the SVG for given looks of the people of [Thread.People], in their order.
func (t Thread) Picture(people []palette.Person) string {
	d := t.drawing()
	d.Lanes, d.y = people, 54
	d.Drawn = d.draw("nodes.tmpl")
	return d.draw("svg.tmpl")
}

// The pictures are templates. The package form, and functions for Mermaid and Graphviz, escape what others wrote.
//
//go:embed *.tmpl svg.css
var files embed.FS

// templates are made when first used, by a function: a variable of a function would be linked by all programs.
var (
	once      sync.Once
	templates *template.Template
)

func parseTemplates() {
	functions := template.FuncMap{"mermaid": mermaid, "dot": dot, "line": form.EscapeLine, "cut": form.Cut,
		"wrap": form.Wrap, "look": palette.Of, "css": palette.CSS, "title": Node.title, "when": when,
		"relations": Node.relations}
	templates = template.Must(template.New("").Funcs(functions).ParseFS(files, "*"))
}

// A drawing is a thread with what its pictures need.
type drawing struct {
	Thread
	Names []string         // of the people
	Lanes []palette.Person // their looks
	Drawn string           // the handoffs
	at    map[string]int   // the numbers of the handoffs
	y     int              // the position of the last line of text
}

func (t Thread) drawing() *drawing { return &drawing{Thread: t, Names: t.People(), at: t.numbers()} }

func (d *drawing) draw(picture string) string {
	once.Do(parseTemplates)
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, picture, d); err != nil {
		return err.Error() // an invalid template, which its tests detect
	}
	return b.String()
}

// Down advances, and returns the new position.
func (d *drawing) Down(n int) int {
	d.y += n
	return d.y
}

// High returns the height of the picture, and Foot where its lanes end.
func (d *drawing) High() int { return d.y + 18 }
func (d *drawing) Foot() int { return d.y + 10 }

// IsWide reports whether a narrow screen hides the names; they are above each arrow too.
func (d *drawing) IsWide() bool { return len(d.Names) > 4 }

func (d *drawing) X(lane int) string    { return Center(lane, len(d.Names)) }
func (d *drawing) Lane(name string) int { return Lane(d.Names, name) }
func (d *drawing) Number(id string) int { return d.at[id] }
func (d *drawing) How(n Node) string    { return n.how(d.numbered) }

// A place is where a handoff is drawn: its lanes, that of its text, and the first line of that.
type place struct {
	From, To int
	Class    string
	About    string
}

// Place returns the place of a handoff.
func (d *drawing) Place(n Node) place {
	p := place{From: d.Lane(n.From), To: d.Lane(n.To)}
	lane, class := min(p.From, p.To), ""
	if 2*lane+1 > len(d.Names) { // the text ends at the right end of the arrow
		lane, class = max(p.From, p.To), " e"
	}
	if n.ID == d.Asked && len(d.Nodes) > 1 {
		class += " asked"
	}
	p.Class = fmt.Sprint("l", max(lane, 0), class)
	p.About = fmt.Sprintf("%d · %s · %s → %s · %s", d.at[n.ID], when(n.Time), form.Cut(n.From, 14),
		form.Cut(n.To, 14), n.State)
	if n.From == "" {
		p.About = fmt.Sprintf("%d · %s", d.at[n.ID], n.State)
	}
	return p
}

// Sentence describes a node in one line. It refers to others by number.
func (d *drawing) Sentence(n Node) string {
	parts := []string{fmt.Sprint(d.at[n.ID], " ", n.title()), d.How(n), n.State, when(n.Time)}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// numbered names a node by its number, if it has one, else by id.
func (d *drawing) numbered(id string) string {
	if k := d.at[id]; k > 0 {
		return fmt.Sprint(k)
	}
	return short(id)
}
