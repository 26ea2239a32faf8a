package jsontree

import "bytes"

// AppendLike appends the value as the text sets it out that it was parsed from: what was parsed keeps
// its own characters and the white space around it, what came in since is set like its neighbours.
// Members keep the order of the text.
func (v *Value) AppendLike(dst, src []byte) []byte {
	w := setting{src: bytes.TrimPrefix(src, []byte("\ufeff"))}
	if at := bytes.IndexByte(w.src, ':'); at >= 0 && len(w.after(at+1)) > 0 {
		w.space = []byte(" ")
	}
	return w.value(dst, v)
}

// A setting is how a text sets out its JSON.
type setting struct {
	src   []byte
	space []byte // what stands behind a colon
}

// after returns the white space from a place on, before what stands ahead of one.
func (w setting) after(at int) []byte {
	rest := w.src[at:]
	return rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
}

func (w setting) before(at int) []byte {
	head := w.src[:at]
	return head[len(bytes.TrimRight(head, " \t\r\n")):]
}

func (w setting) value(dst []byte, v *Value) []byte {
	switch {
	case v.Kind == Object:
		return w.elements(dst, v, "{}", len(v.Members), func(dst []byte, i int) []byte { return w.member(dst, v.Members[i]) },
			func(i int) int { return v.Members[i].Start })
	case v.Kind == Array:
		return w.elements(dst, v, "[]", len(v.Items), func(dst []byte, i int) []byte { return w.value(dst, v.Items[i]) },
			func(i int) int { return v.Items[i].Start })
	case v.End > 0:
		return append(dst, w.src[v.Start:v.End]...)
	}
	return v.Append(dst)
}

func (w setting) member(dst []byte, m Member) []byte {
	gap := w.space
	if m.End > 0 && m.Value.End > 0 {
		colon := m.End + len(w.after(m.End))
		gap = w.after(colon + 1)
		dst = append(append(dst, w.src[m.Start:m.End]...), ':')
	} else {
		dst = append(AppendQuoted(dst, m.Name), ':')
	}
	return w.value(append(dst, gap...), m.Value)
}

// elements prints what stands between two brackets; start is where an element begins in the text, 0
// for a new one.
func (w setting) elements(dst []byte, v *Value, brackets string, n int, element func(dst []byte, i int) []byte, start func(int) int) []byte {
	var first, last []byte
	if v.End > 0 {
		first, last = w.after(v.Start+1), w.before(v.End-1)
	}
	gap := w.space
	if bytes.IndexByte(first, '\n') >= 0 {
		gap = first
	}
	dst = append(dst, brackets[0])
	for i := range n {
		switch at := start(i); {
		case i == 0:
			dst = append(dst, first...)
		case at > 0:
			gap = w.before(at)
			fallthrough
		default:
			dst = append(append(dst, ','), gap...)
		}
		dst = element(dst, i)
	}
	if n > 0 {
		dst = append(dst, last...)
	}
	return append(dst, brackets[1])
}
