package kind

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

const infoMark = "handoff-record="

// info matches the opening line of a block, with groups for its fence, kind and version.
var info = form.Pattern("(?m)^(```+)json handoff-record=([a-z]+)/([0-9.]+)\n")

// Announces reports whether a text contains the mark of a record. Without it, Extract finds none.
func Announces(text string) bool { return strings.Contains(text, infoMark) }

// Extract returns the record in a body. It returns false unless the body is exactly the view and the block of a record
// of a known kind and version.
func Extract(body string) (Record, bool) {
	at := info().FindStringSubmatchIndex(body)
	if at == nil || !Announces(body) {
		return Record{}, false
	}
	k, err := Of(body[at[4]:at[5]])
	text, isBlock := strings.CutSuffix(body[at[1]:], "\n"+body[at[2]:at[3]]+"\n")
	if err != nil || !isBlock || k.Version != body[at[6]:at[7]] {
		return Record{}, false
	}
	root, err := json.ParseObject([]byte(text), MaxBytes, "a record")
	if err != nil {
		return Record{}, false
	}
	if (Record{Kind: k, Root: root}).body(text) != body {
		return Record{}, false
	}
	r, _ := k.read(root, Given{})
	return r, true
}

// Body returns the body of a handoff with the record: its view and its block.
func (r Record) Body() string { return r.body(string(r.JSON())) }

func (r Record) body(text string) string {
	longest, run := 2, 0
	for _, c := range []byte(text) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return r.View() + "\n" + fence + "json " + infoMark + r.Label() + "\n" + text + "\n" + fence + "\n"
}

// View returns the record as Markdown for people: a line for each value, a section for each list and object, in the
// order of the schema. Its form never changes, since stored records are compared with it. No text of the record can
// pass as markup.
func (r Record) View() string {
	root := r.Root.Clone()
	if r.shown != nil {
		r.shown(root)
	}
	title := ""
	for i, part := range strings.FieldsFunc(r.table().x.Get("title").Str(), func(c rune) bool {
		return c == '{' ||
			c == '}'
	}) {
		if i%2 == 1 {
			part = mark(root.At(part).Str())
		}
		title += part
	}
	if inner := root.Get("handoff"); inner.Is(json.Object) {
		root = inner
	}
	if lead := r.table().x.Get("lead").Str(); lead != "" {
		title += "\n\n" + mark(root.Get(lead).Str())
		root.Delete(lead)
	}
	return Sections(title, ordered(root, r.table().below("")))
}

// ordered returns the members of an object, the known ones first in their order.
func ordered(o *json.Value, known []string) *json.Value {
	sorted := json.NewObject()
	for _, name := range known {
		if v := o.Get(name); v != nil {
			sorted.Members = append(sorted.Members, json.Member{Name: name, Value: v})
		}
	}
	for _, m := range o.Members {
		if sorted.Get(m.Name) == nil {
			sorted.Members = append(sorted.Members, m)
		}
	}
	return sorted
}

// Sections returns an object as Markdown: its values as lines, then its lists and objects as sections.
func Sections(title string, o *Tree) string {
	var lines, below strings.Builder
	for _, m := range o.Members {
		switch m.Value.Kind {
		case json.Array, json.Object:
			below.WriteString("\n## " + label(m.Name) + "\n\n")
			if len(m.Value.Items)+len(m.Value.Members) == 0 {
				below.WriteString("none named\n")
			}
			for _, item := range m.Value.Items {
				below.WriteString("- " + oneLine(item) + "\n")
			}
			for _, member := range m.Value.Members {
				writeField(&below, "", member.Name, member.Value)
			}
		default:
			writeField(&lines, "", label(m.Name), m.Value)
		}
	}
	return "# " + title + "\n\n" + lines.String() + below.String()
}

// writeField writes a value on one line. If it has items, they follow below it, indented.
func writeField(b *strings.Builder, indent, name string, v *json.Value) {
	b.WriteString(indent + "- **" + mark(name) + ":**")
	if len(v.Items)+len(v.Members) == 0 {
		b.WriteString(" " + oneLine(v) + "\n")
		return
	}
	b.WriteByte('\n')
	for i, item := range v.Items {
		writeField(b, indent+"  ", strconv.Itoa(i+1), item)
	}
	for _, m := range v.Members {
		writeField(b, indent+"  ", m.Name, m.Value)
	}
}

// oneLine returns a value as one line: of an object its first member, then the others with their names.
func oneLine(v *json.Value) string {
	switch v.Kind {
	case json.String:
		if isBlank(v.Text) {
			return strconv.QuoteToASCII(v.Text)
		}
		return mark(v.Text)
	case json.Null:
		return "none named"
	case json.Object:
		parts := make([]string, len(v.Members))
		for i, m := range v.Members {
			if parts[i] = oneLine(m.Value); i > 0 {
				parts[i] = mark(strings.ReplaceAll(m.Name, "_", " ")) + ": " + parts[i]
			}
		}
		return strings.Join(parts, "; ")
	case json.Array:
		return mark(v.String())
	}
	return v.Text
}

// label returns the name of a field for people.
func label(name string) string {
	_, first := utf8.DecodeRuneInString(name)
	return mark(strings.ToUpper(name[:first]) + strings.ReplaceAll(name[first:], "_", " "))
}
