package thread

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

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

// title returns the title of a node, else its topic or id.
func (n Node) title() string { return cmp.Or(n.Title, n.Topic, short(n.ID)) }

// when formats a time of the frontmatter for people.
func when(ts string) string {
	return strings.Replace(ts[:min(len(ts), len("2006-01-02T15:04"))], "T", " ", 1)
}

// A relation is how a node relates to handoffs that it names, or that name the same ones.
type relation struct {
	IDs          []string
	Word         string
	Passive, Arc string // of the edge from the other handoff; "" for none
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
