package universal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// sections are the objects of a record with their own heading in the view, in this order.
var sections = []string{"source", "target", "context", "payload", "meta", "tracing"}

// View returns the record as Markdown for people. It shows every field, in the record's order within a section.
// The form is frozen for universal/3.0: the same record always gives the same bytes. A document and its JSON have
// the same view. No text of the record can pass as markup of the view.
func (d *Document) View() string {
	root := d.root
	record := root.Get("handoff")
	if !record.Is(jsontree.Object) {
		record = jsontree.NewObject(member("document", root))
	}
	var b, below strings.Builder
	b.WriteString("# Universal handoff: " + line(d.Source()) + " to " + line(d.Target()) + "\n\n")
	for _, name := range sections {
		// An empty section, or one that is not an object, is shown like any other field.
		if v := record.Get(name); v != nil && len(v.Members) > 0 {
			below.WriteString("\n## " + strings.ToUpper(name[:1]) + name[1:] + "\n\n")
			writeItems(&below, "", v)
		}
	}
	for _, m := range record.Ordered() {
		if !slices.Contains(sections, m.Name) || len(m.Value.Members) == 0 {
			writeField(&b, "", m.Name, m.Value)
		}
	}
	return b.String() + below.String()
}

// writeItems writes the items of a list by number, and the members of an object by name.
func writeItems(b *strings.Builder, indent string, v *jsontree.Value) {
	for i, item := range v.Items {
		writeField(b, indent, fmt.Sprint(i+1), item)
	}
	for _, m := range v.Ordered() {
		writeField(b, indent, m.Name, m.Value)
	}
}

// writeField writes a value on one line. If it has items, they follow below it, indented.
func writeField(b *strings.Builder, indent, name string, v *jsontree.Value) {
	b.WriteString(indent + "- **" + line(name) + ":**")
	switch {
	case len(v.Items)+len(v.Members) > 0:
		b.WriteByte('\n')
		writeItems(b, indent+"  ", v)
	case v.Kind == jsontree.String:
		b.WriteString(" " + line(v.Text) + "\n")
	default:
		b.WriteString(" " + v.String() + "\n")
	}
}

// line returns a text for one line of Markdown. An invisible text is shown in quotes.
func line(text string) string {
	if shown := fields.Text(text); shown != "" {
		return shown
	}
	return fmt.Sprintf("%q", text)
}
