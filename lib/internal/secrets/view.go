package secrets

import (
	"sort"
	"strings"
)

// A view is a text as somebody reads it who knows its escapes, and the way back to the bytes that it
// was made from.
type view struct {
	text  string
	from  *view // nil for the text itself
	edits []edit
}

// An edit says that text[at:at+n] stands for from.text[start:end].
type edit struct{ at, n, start, end int }

// reveal is unescape where that may tell more.
func (v *view) reveal() *view {
	if !telling(v.text) {
		return nil
	}
	return v.unescape()
}

// unescape undoes the escapes in v and leaves out what cannot be seen; nil where there is nothing of either.
func (v *view) unescape() *view {
	var b strings.Builder
	out := &view{from: v}
	done := 0
	for i, c := range []byte(v.text) {
		if !suspect[c] || i < done {
			continue
		}
		if plain, n := unescape(v.text[i:]); n > 0 {
			b.Grow(len(v.text) - done)
			b.WriteString(v.text[done:i])
			out.edits = append(out.edits, edit{b.Len(), len(plain), i, i + n})
			b.WriteString(plain)
			done = i + n
		}
	}
	if len(out.edits) == 0 {
		return nil
	}
	b.WriteString(v.text[done:])
	out.text = b.String()
	return out
}

// plain returns text without the escapes that a scan undoes.
func plain(text string) string {
	v := &view{text: text}
	for depth := 1; v != nil && depth <= layers; depth++ {
		text = v.text
		v = v.unescape()
	}
	return text
}

// start returns where in the text itself the byte i of v begins.
func (v *view) start(i int) int {
	if v.from == nil {
		return i
	}
	k := sort.Search(len(v.edits), func(k int) bool { return v.edits[k].at+v.edits[k].n > i })
	if k < len(v.edits) && v.edits[k].at <= i {
		return v.from.start(v.edits[k].start)
	}
	return v.from.start(v.after(k, i))
}

// end returns where in the text itself the byte before i ends.
func (v *view) end(i int) int {
	if v.from == nil {
		return i
	}
	k := sort.Search(len(v.edits), func(k int) bool { return v.edits[k].at >= i })
	if k > 0 && i <= v.edits[k-1].at+v.edits[k-1].n {
		return v.from.end(v.edits[k-1].end)
	}
	return v.from.end(v.after(k, i))
}

// after returns the place in v.from of i, which stands behind the first k edits and before the others.
func (v *view) after(k, i int) int {
	if k == 0 {
		return i
	}
	e := v.edits[k-1]
	return e.end + i - e.at - e.n
}

// joined says whether the bytes before and at i came together by an edit, so that neither says
// anything about the other.
func (v *view) joined(i int) bool {
	if v.from == nil {
		return false
	}
	k := sort.Search(len(v.edits), func(k int) bool { return v.edits[k].at+v.edits[k].n >= i })
	return k < len(v.edits) && v.edits[k].at <= i || v.from.joined(v.after(k, i))
}
