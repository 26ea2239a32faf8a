package secrets

import (
	"sort"
	"strings"
)

// A view is a text with decoded escapes, and its relation to the bytes that it was made from.
type view struct {
	text   string
	from   *view // nil for the original text
	pieces []piece
}

// A piece is a range of a view, from at to the next piece. Its bytes are those of the other text from start on. If
// width is set, it is one byte for width bytes there.
type piece struct{ at, start, width int }

// reveal is unescape, or nil if the result cannot have more findings.
func (v *view) reveal() *view {
	if !hidesText(v.text) {
		return nil
	}
	return v.unescape()
}

// unescape decodes the escapes in v and removes invisible characters. It returns nil if there are none.
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

// add adds a piece. It replaces the last piece if that is empty.
func (v *view) add(p piece) {
	if last := len(v.pieces) - 1; v.pieces[last].at == p.at {
		v.pieces = v.pieces[:last]
	}
	v.pieces = append(v.pieces, p)
}

// plain returns text without the escapes that a scan decodes.
func plain(text string) string {
	v := &view{text: text}
	for depth := 1; v != nil && depth <= layers; depth++ {
		text = v.text
		v = v.unescape()
	}
	return text
}

// place returns the piece of byte i, and the offset of that byte in the other text.
func (v *view) place(i int) (p piece, start int) {
	p = v.pieces[sort.Search(len(v.pieces), func(k int) bool { return v.pieces[k].at > i })-1]
	if p.width > 0 {
		return p, p.start
	}
	return p, p.start + i - p.at
}

// start returns the offset in the original text at which byte i of v begins.
func (v *view) start(i int) int {
	if v.from == nil {
		return i
	}
	_, start := v.place(i)
	return v.from.start(start)
}

// end returns the offset in the original text at which the byte before i ends.
func (v *view) end(i int) int {
	if v.from == nil {
		return i
	}
	p, start := v.place(i - 1)
	return v.from.end(start + max(p.width, 1))
}

// joined reports whether an escape separates the bytes before and at i, so that they are not one word.
func (v *view) joined(i int) bool {
	if v.from == nil {
		return false
	}
	p, start := v.place(i)
	return p.at == i || v.from.joined(start)
}
