package document

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adrg/frontmatter"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// readHead fills the draft from the lines between the delimiters.
func (d *Draft) readHead(text []byte) {
	h := decode(text)
	d.faults = append(d.faults, h.faults...)
	switch {
	case h.root == nil && len(h.faults) > 0:
	case h.root == nil:
		d.fail(Fault{Line: 1, Column: 1, Problem: "the head is empty",
			Hint: "it needs " + strings.Join(keysOf(mustHave), ", ")})
	case h.root.Kind != Mapping:
		d.fail(Fault{Line: h.root.Line, Column: h.root.Column, Problem: "the head is not a mapping",
			Hint: "write lines of the form key: 'value'"})
	default:
		d.values(h.root)
		d.Comments = h.root.Comments
		d.places[""] = place{1, 1} // missing fields are missing between the delimiters
		fault.Sort(d.faults)
	}
}

// values sets the values of the frontmatter by key. Null means absent.
func (d *Draft) values(root *Node) {
	d.head = map[string]any{}
	for _, m := range root.Members {
		key := m.Key.Text
		if fieldOf(key) == nil {
			d.faults = append(d.faults, Fault{Line: m.Key.Line, Column: m.Key.Column,
				Problem: "unknown key " + fault.Quote(key), Hint: hintKey(key)})
			continue
		}
		if value := d.value(m.Value, fault.Pointer("", key)); value != nil {
			d.head[key] = value
		}
	}
}

func hintKey(key string) string {
	if near := form.Nearest(key, keysOf(anyField)); near != "" {
		return "did you mean " + near + "?"
	}
	return "known are " + strings.Join(keysOf(anyField), ", ")
}

func (d *Draft) value(n *Node, pointer string) any {
	at := place{n.Line, n.Column}
	d.places[pointer], d.faulted[pointer] = at, n.Faulty
	switch n.Kind {
	case Mapping:
		d.report(at, pointer, "the value is a mapping, not text",
			"put it in single quotes; a colon and a space make a mapping")
	case List:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = d.value(item, fault.Pointer(pointer, strconv.Itoa(i)))
		}
		return items
	case Scalar:
		return d.scalar(n, pointer, at)
	}
	return nil
}

// scalar returns a string, or nil for null. An unquoted scalar of another type is a fault, so that all YAML libraries
// read the frontmatter alike.
func (d *Draft) scalar(n *Node, pointer string, at place) any {
	if !n.Faulty {
		d.checkRunes(n.Text, pointer, at)
	}
	if !n.Plain {
		return n.Text
	}
	kind := plainKind(n.Text, n.Tag)
	switch {
	case n.Comment != "" && strings.HasPrefix(pointer, "/references"):
		d.report(at, pointer, `YAML cuts the reference at its " #"`, "put all of it in single quotes")
	case kind == "null" && strings.Count(pointer, "/") == 1: // a field, not an item
		return nil
	case kind == "" || kind == timestamp && pointer == "/ts_utc" || d.faulted[pointer]:
	case n.Text == "":
		d.report(at, pointer, "the item is empty", "remove its dash, or write a value in single quotes")
	default:
		d.report(at, pointer, fmt.Sprintf("YAML reads %s without quotes as %s", fault.Quote(n.Text), kind),
			"write "+clip(quote(n.Text)))
	}
	return n.Text
}

// clip returns s, or a placeholder if s is too long for a hint. Such values need no escaping.
func clip(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		return "it in single quotes"
	}
	return s
}

// closer is the delimiter for the frontmatter library. It trims lines before comparing, so an indented --- in a block
// scalar would end the frontmatter too early. Split has found the true end, and the text contains no NUL.
const closer = "\x00"

// A head is parsed frontmatter with its YAML faults.
type head struct {
	root   *Node
	faults []Fault
}

// strict is the only format. The formats of the library also accept TOML and JSON, and keep the last of two equal
// keys.
var strict = frontmatter.NewFormat("---", closer, func(text []byte, into any) error {
	h := into.(*head)
	h.root, h.faults = ReadYAML(text, YAMLOptions{Name: "the head", Line: 2, MaxBytes: MaxStored, MaxNodes: maxNodes})
	return nil
})

// decode parses the lines between the delimiters.
func decode(text []byte) (h head) {
	framed := make([]byte, 0, len(text)+8)
	framed = append(framed, "---\n"...)
	framed = append(framed, text...)
	framed = append(framed, closer+"\n"...)
	if _, err := frontmatter.MustParse(bytes.NewReader(framed), &h, strict); err != nil {
		h.faults = append(h.faults, Fault{Line: 1, Column: 1, Problem: "the head cannot be read: " + err.Error()})
	}
	return h
}
