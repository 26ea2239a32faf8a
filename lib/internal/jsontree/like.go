package jsontree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// OnLines returns the source text with the changed value v. Parsed values keep their characters and the white space
// around them. New values get the layout of the values around them: a new array or object has one line for each
// element if they do, or if it is the first in a text of several lines. Members keep the order of the text.
func (v *Value) OnLines(src []byte) []byte {
	w := newLayout(src)
	w.root, w.unit = v, w.unitOf(v)
	return slices.Concat(w.src[:v.Start], w.value(nil, v), w.src[v.End:])
}

// A layout is the white space of a JSON text.
type layout struct {
	src   []byte
	space []byte // the space after a colon
	eol   string
	root  *Value
	unit  string // the indent of one level
}

func newLayout(src []byte) *layout {
	w := &layout{src: bytes.TrimPrefix(src, []byte("\ufeff")), eol: "\n"}
	if at := bytes.IndexByte(w.src, ':'); at >= 0 && len(w.after(at+1)) > 0 {
		w.space = []byte(" ")
	}
	if at := bytes.IndexByte(w.src, '\n'); at > 0 && w.src[at-1] == '\r' {
		w.eol = "\r\n"
	}
	return w
}

// after returns the white space that begins at an offset.
func (w *layout) after(at int) []byte {
	rest := w.src[at:]
	return rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
}

func (w *layout) before(at int) []byte {
	head := w.src[:at]
	return head[len(bytes.TrimRight(head, " \t\r\n")):]
}

// indent returns the indent of the line of an offset.
func (w *layout) indent(at int) string {
	line := w.src[bytes.LastIndexByte(w.src[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitOf returns the indent of one level in v, or two spaces.
func (w *layout) unitOf(v *Value) (unit string) {
	v.Walk("", nil, func(_ string, _ *Member, v *Value) {
		if gap := w.after(v.Start + 1); unit == "" && v.Kind >= Array && v.End > 0 && bytes.IndexByte(gap, '\n') >= 0 {
			unit, _ = strings.CutPrefix(w.indent(v.Start+1+len(gap)), w.indent(v.Start))
		}
	})
	return cmp.Or(unit, "  ")
}

// render formats a new value, on one line or on several with an indent. The first line is not indented.
func (w *layout) render(value []byte, onLines bool, indent string) []byte {
	var out bytes.Buffer
	if !onLines {
		_ = json.Compact(&out, value) // the JSON is valid, here and below
		return out.Bytes()
	}
	_ = json.Indent(&out, value, indent, w.unit)
	return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(w.eol))
}

// value prints a value. Parsed parts keep their source text.
func (w *layout) value(dst []byte, v *Value) []byte {
	switch {
	case v.Kind == Array || v.Kind == Object:
		return w.elements(dst, v)
	case v.End > 0:
		return append(dst, w.src[v.Start:v.End]...)
	}
	return v.Append(dst)
}

// elements prints an array or object with its brackets.
func (w *layout) elements(dst []byte, v *Value) []byte {
	all := slices.Clone(v.Members)
	for _, item := range v.Items {
		all = append(all, Member{Value: item, Start: item.Start})
	}
	first, last, gap := w.inside(v, len(all))
	dst = append(dst, "[{"[v.Kind-Array])
	for i, e := range all {
		if at := bytes.LastIndexByte(gap, '\n'); at >= 0 {
			gap = append([]byte(w.eol), gap[at+1:]...)
		}
		switch {
		case i == 0:
			dst = append(dst, first...)
		case e.Start > 0:
			gap = w.before(e.Start)
			dst = append(append(dst, w.comma(e.Start-len(gap))...), gap...)
		default:
			dst = append(append(dst, ','), gap...)
		}
		dst = w.element(dst, v.Kind, e, gap)
	}
	return append(append(dst, last...), "]}"[v.Kind-Array])
}

// inside returns the white space after the opening bracket of v, before the closing one, and before the second
// element.
func (w *layout) inside(v *Value, n int) (first, last, gap []byte) {
	first, last = w.after(v.Start+1), w.before(v.End-1)
	isMultiline := bytes.IndexByte(first, '\n') >= 0
	switch isEmpty := v.Start+1+len(first) == v.End-1; {
	case n == 0 && !isEmpty:
		return nil, nil, nil
	case n == 0:
		return nil, first, nil
	case isEmpty && (v == w.root || bytes.IndexByte(bytes.TrimSpace(w.src), '\n') >= 0):
		outer := []byte(w.eol + w.indent(v.Start))
		gap = append(outer, w.unit...)
		if !isMultiline {
			last = append(outer[:len(outer):len(outer)], last...)
		}
		return gap, last, gap
	case isEmpty:
		return nil, last, nil
	case isMultiline:
		return first, last, first
	}
	return first, last, w.space
}

// comma returns the comma before an offset, with the white space before it.
func (w *layout) comma(at int) []byte {
	if at == 0 || w.src[at-1] != ',' { // before the first element
		return []byte{','}
	}
	return w.src[at-1-len(w.before(at-1)) : at]
}

// element prints one element after the white space gap.
func (w *layout) element(dst []byte, in Kind, e Member, gap []byte) []byte {
	at := bytes.LastIndexByte(gap, '\n')
	switch {
	case in == Array:
	case e.End > 0: // the name was parsed
		colon := e.End + len(w.after(e.End)) + 1
		dst = append(dst, w.src[e.Start:colon+len(w.after(colon))]...)
	case at < 0:
		dst = append(append(AppendQuoted(dst, e.Name), ':'), w.space...)
	default:
		dst = append(AppendQuoted(dst, e.Name), ": "...)
	}
	if e.Value.End == 0 {
		return append(dst, w.render(e.Value.Append(nil), at >= 0, string(gap[at+1:]))...)
	}
	return w.value(dst, e.Value)
}
