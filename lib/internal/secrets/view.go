package secrets

import (
	"sort"
	"strings"
)

// A view is a text as somebody reads it who knows its escapes, and the way back to the bytes that it
// was made from.
type view struct {
	text   string
	from   *view // nil for the text itself
	pieces []piece
}

// A piece of a view is its bytes from at up to the next piece. They are those of the other text from start on; or,
// if width is set, one byte for that many there.
type piece struct{ at, start, width int }

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
	var out *view
	done, suspect := 0, suspect()
	for i, c := range []byte(v.text) {
		if !suspect[c] || i < done {
			continue
		}
		if plain, n := unescape(v.text[i:]); n > 0 {
			if out == nil {
				out = &view{from: v, pieces: make([]piece, 1, 64)}
			}
			b.Grow(len(v.text) - done)
			b.WriteString(v.text[done:i])
			if plain != "" {
				out.add(piece{b.Len(), i, n})
			}
			b.WriteString(plain)
			done = i + n
			out.add(piece{b.Len(), done, 0})
		}
	}
	if out == nil {
		return nil
	}
	b.WriteString(v.text[done:])
	out.text = b.String()
	return out
}

// add adds a piece, in the place of the last one if that has no bytes.
func (v *view) add(p piece) {
	if last := len(v.pieces) - 1; v.pieces[last].at == p.at {
		v.pieces = v.pieces[:last]
	}
	v.pieces = append(v.pieces, p)
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

// place returns the piece that has the byte i, and where in the other text that byte begins.
func (v *view) place(i int) (p piece, start int) {
	p = v.pieces[sort.Search(len(v.pieces), func(k int) bool { return v.pieces[k].at > i })-1]
	if p.width > 0 {
		return p, p.start
	}
	return p, p.start + i - p.at
}

// start returns where in the text itself the byte i of v begins.
func (v *view) start(i int) int {
	if v.from == nil {
		return i
	}
	_, start := v.place(i)
	return v.from.start(start)
}

// end returns where in the text itself the byte before i ends.
func (v *view) end(i int) int {
	if v.from == nil {
		return i
	}
	p, start := v.place(i - 1)
	return v.from.end(start + max(p.width, 1))
}

// joined says whether the bytes before and at i came together by an escape, so that neither says
// anything about the other.
func (v *view) joined(i int) bool {
	if v.from == nil {
		return false
	}
	p, start := v.place(i)
	return p.at == i || v.from.joined(start)
}
