package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// An Edit puts New in the place of the bytes from Start to End.
type Edit struct {
	Start, End int
	New        []byte
}

// Apply returns the text with the edit made.
func (e Edit) Apply(src []byte) []byte {
	out := make([]byte, 0, len(src)+len(e.New))
	out = append(out, src[:e.Start]...)
	out = append(out, e.New...)
	return append(out, src[e.End:]...)
}

// A span is an element of an object or array: a key with its value, or a value.
type span struct{ start, end int }

func elements(n *jsontree.Value) []span {
	var all []span
	for _, m := range n.Members {
		all = append(all, span{m.Start, m.Value.End})
	}
	for _, item := range n.Items {
		all = append(all, span{item.Start, item.End})
	}
	return all
}

// AppendMembers returns the edit that adds the members of an object, given as JSON, as the last of another.
// They are indented as what is there already.
func (d *Document) AppendMembers(object *jsontree.Value, members []byte) Edit {
	added, err := Parse(members)
	if err != nil {
		return Edit{Start: object.End, End: object.End}
	}
	return d.append(object, func(l layout) []byte {
		var out []byte
		for i, m := range added.Root.Members {
			if i > 0 {
				out = append(out, ","+l.eol+l.indent...)
			}
			out = append(out, added.src[m.Start:m.End]...)
			out = append(out, l.colon...)
			out = append(out, l.render(added.Raw(m.Value))...)
		}
		return out
	})
}

// AppendItem returns the edit that adds a value, given as JSON, as the last of an array.
func (d *Document) AppendItem(array *jsontree.Value, value []byte) Edit {
	return d.append(array, func(l layout) []byte { return l.render(value) })
}

// Replace returns the edit that puts a value, given as JSON, in the place of n. It has as many lines as it
// needs if n has more than one.
func (d *Document) Replace(n *jsontree.Value, value []byte) Edit {
	l := layout{lines: bytes.IndexByte(d.Raw(n), '\n') >= 0, eol: d.eol(d.Raw(n)), indent: d.lineIndent(n.Start), unit: d.unit()}
	return Edit{n.Start, n.End, l.render(value)}
}

// Remove returns the edit that takes the i-th element out of an object or array, with its comma and the
// space around it. It undoes an append, but for the space within brackets that were empty.
func (d *Document) Remove(parent *jsontree.Value, i int) Edit {
	all := elements(parent)
	switch {
	case len(all) == 1:
		return Edit{Start: parent.Start + 1, End: parent.End - 1}
	case i == 0:
		return Edit{Start: all[0].start, End: all[1].start}
	}
	return Edit{Start: all[i-1].end, End: all[i].end}
}

// append makes the edit for a new last element of parent.
func (d *Document) append(parent *jsontree.Value, element func(layout) []byte) Edit {
	all := elements(parent)
	if len(all) == 0 {
		return d.fill(parent, element)
	}
	last := all[len(all)-1]
	before := parent.Start + 1
	if len(all) > 1 {
		before = bytes.IndexByte(d.src[all[len(all)-2].end:], ',') + all[len(all)-2].end + 1
	}
	gap := d.src[before:last.start]
	at := Edit{Start: last.end, End: last.end}
	l := layout{colon: ":"}
	if newline := bytes.LastIndexByte(gap, '\n'); newline >= 0 {
		l = layout{true, d.eol(gap), string(gap[newline+1:]), d.unit(), ": "}
		at.New = append([]byte(","+l.eol+l.indent), element(l)...)
		return at
	}
	space := string(gap)
	if len(all) == 1 && bytes.Contains(d.src[last.start:last.end], []byte(": ")) {
		space = " "
	}
	at.New = append([]byte(","+space), element(l)...)
	return at
}

// fill makes the edit for the first element of an empty parent.
func (d *Document) fill(parent *jsontree.Value, element func(layout) []byte) Edit {
	at := Edit{Start: parent.Start + 1, End: parent.Start + 1}
	if bytes.IndexByte(bytes.TrimSpace(d.src), '\n') < 0 && parent != d.Root {
		at.New = element(layout{colon: ":"})
		return at
	}
	closing := d.lineIndent(parent.Start)
	l := layout{true, d.eol(nil), closing + d.unit(), d.unit(), ": "}
	at.New = append([]byte(l.eol+l.indent), element(l)...)
	if bytes.IndexByte(d.src[parent.Start:parent.End], '\n') < 0 {
		at.New = append(at.New, l.eol+closing...)
	}
	return at
}

// A layout says how a new value is written.
type layout struct {
	lines             bool // one line for each element, or all in one
	eol, indent, unit string
	colon             string
}

// render writes a value. Its first line is not indented: that is the caller's.
func (l layout) render(value []byte) []byte {
	var out bytes.Buffer
	if !l.lines {
		if json.Compact(&out, value) != nil {
			return value
		}
		return out.Bytes()
	}
	if json.Indent(&out, value, l.indent, l.unit) != nil {
		return value
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(l.eol))
}

// eol returns the line end that near has, else that of the text.
func (d *Document) eol(near []byte) string {
	if bytes.IndexByte(near, '\n') < 0 {
		near = d.src
	}
	if i := bytes.IndexByte(near, '\n'); i > 0 && near[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineIndent returns the space at the beginning of the line that offset is on.
func (d *Document) lineIndent(offset int) string {
	line := d.src[bytes.LastIndexByte(d.src[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns what one level is indented by: two spaces, where the text does not show it.
func (d *Document) unit() string {
	if unit := d.unitOf(d.Root); unit != "" {
		return unit
	}
	return "  "
}

func (d *Document) unitOf(n *jsontree.Value) string {
	all := elements(n)
	if len(all) > 0 && bytes.IndexByte(d.src[n.Start:all[0].start], '\n') >= 0 {
		outer, inner := d.lineIndent(n.Start), d.lineIndent(all[0].start)
		if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
			return unit
		}
	}
	for _, m := range n.Members {
		if unit := d.unitOf(m.Value); unit != "" {
			return unit
		}
	}
	for _, item := range n.Items {
		if unit := d.unitOf(item); unit != "" {
			return unit
		}
	}
	return ""
}
