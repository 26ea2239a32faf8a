package thread

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// Mermaid returns the thread as a sequence diagram for Mermaid:
// https://mermaid.js.org/syntax/sequenceDiagram.html.
func (t Thread) Mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	people := t.People()
	for i, name := range people {
		fmt.Fprintf(&b, "    participant p%d as %s\n", i, mermaid(name))
	}
	at := t.numbers()
	for i, n := range t.Nodes {
		said := mermaid(n.sentence(i+1, at))
		if n.From != "" {
			fmt.Fprintf(&b, "    p%d->>p%d: %s\n", Lane(people, n.From), Lane(people, n.To), said)
		} else if len(people) > 0 {
			fmt.Fprintf(&b, "    Note over p0: %s\n", said)
		}
	}
	if t.Left > 0 && len(people) > 0 {
		fmt.Fprintf(&b, "    Note over p0: %s\n", mermaid(fmt.Sprint(t.Left, " more are not drawn")))
	}
	return b.String()
}

// mermaid escapes text for Mermaid: special characters become entity codes such as #59;. It splits a word that
// would end a block.
func mermaid(text string) string {
	var b strings.Builder
	for i, r := range form.EscapeLine(text) {
		switch {
		case i == 0 && strings.EqualFold(text, "end"):
			fmt.Fprintf(&b, "#%d;", r)
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == ' ' && i > 0, r == '-' && i > 0,
			r == '_':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// sentence describes a node in one line. It refers to others by number.
func (n Node) sentence(number int, at map[string]int) string {
	parts := []string{fmt.Sprint(number, " ", n.title())}
	if how := n.how(numbered(at)); how != "" {
		parts = append(parts, how)
	}
	parts = append(parts, n.State)
	if n.Time != "" {
		parts = append(parts, when(n.Time))
	}
	return strings.Join(parts, " · ")
}

// title returns the title of a node, else its topic or id.
func (n Node) title() string { return cmp.Or(n.Title, n.Topic, short(n.ID)) }

// numbered returns a function that names a node by its number, if it has one, else by id.
func numbered(at map[string]int) func(id string) string {
	return func(id string) string {
		if k := at[id]; k > 0 {
			return fmt.Sprint(k)
		}
		return short(id)
	}
}

// when formats a time of the frontmatter for people.
func when(ts string) string {
	return strings.Replace(ts[:min(len(ts), len("2006-01-02T15:04"))], "T", " ", 1)
}

// DOT returns the thread for Graphviz. A handoff is below those that it names.
func (t Thread) DOT() string {
	var b strings.Builder
	b.WriteString("digraph thread {\n" +
		"  rankdir=TB; bgcolor=\"transparent\"; nodesep=0.4; ranksep=0.5;\n" +
		"  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, margin=\"0.18,0.10\", " +
		"penwidth=1.2];\n" +
		"  edge [fontname=\"Helvetica\", fontsize=9, color=\"#565e69\", fontcolor=\"#565e69\", arrowsize=0.7];\n")
	at := t.numbers()
	for i, n := range t.Nodes {
		look := palette.Of(n.State)
		label := []string{n.title(), n.State}
		if n.From != "" {
			label = []string{n.From + " → " + n.To, n.title(), when(n.Time) + " · " + n.State}
		}
		wide := ""
		if n.ID == t.Asked {
			wide = ", penwidth=2.6"
		}
		fmt.Fprintf(&b, "  n%d [label=%s, tooltip=%s, fillcolor=\"%s\", color=\"%s\"%s];\n",
			i+1, dot(strings.Join(label, "\n")), dot(n.ID), look.Tint[0], look.Ink[0], wide)
	}
	for i, n := range t.Nodes {
		for _, r := range n.relations() {
			for _, id := range r.ids {
				if k := at[id]; k > 0 && r.arc != "" {
					fmt.Fprintf(&b, "  n%d -> n%d [label=%s, style=%s];\n", k, i+1, dot(r.passive), r.arc)
				}
			}
		}
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "  left [shape=plaintext, style=\"\", label=%s];\n",
			dot(fmt.Sprint(t.Left, " more are not drawn")))
	}
	b.WriteString("}\n")
	return b.String()
}

// A relation is how a node relates to handoffs that it names, or that name the same ones.
type relation struct {
	ids          []string
	word         string
	passive, arc string // of the edge from the other handoff; "" for none
}

func (n Node) relations() []relation {
	return []relation{
		{n.Re, "answers", "answered by", "solid"},
		{n.Supersedes, "supersedes", "superseded by", "dashed"},
		{n.Claims, "claims to supersede", "claimed by", "dotted"},
		{n.Beside, "as does", "", ""},
	}
}

// dot quotes text for Graphviz, whose escapes begin with a backslash.
func dot(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(form.EscapeLine(line))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
