package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// ParseStored parses a file of the store of at most MaxStored bytes, whatever the limit when it was written. It
// checks the values with Shape, without time bounds. A missing id is a fault. The caller checks whether it is the id
// of the content.
func ParseStored(src []byte) (Document, []Fault) {
	if d, ok := ParseRendered(src, MaxStored, MaxStored); ok {
		return d, nil
	}
	draft := parse(src, MaxStored, MaxStored)
	faults := draft.Check(Shape)
	if len(faults) > 0 {
		return Document{}, faults
	}
	d := draft.Document()
	if d.HandoffID == "" {
		return Document{}, []Fault{{Line: 1, Column: 1, Pointer: "/handoff_id",
			Problem: "the stored file has no handoff_id"}}
	}
	return d, nil
}

// ParseRendered parses exactly what Render writes, ten times as fast as the YAML library. It returns false for other
// text, which is left to Parse, and for text or a head that is longer than the limit in bytes.
func ParseRendered(src []byte, limit, headLimit int) (Document, bool) {
	const end = "\n---\n\n"
	size := bytes.Index(src, []byte(end)) + len(end) // of the head, a copy of its own: fields outlive the body
	if size < len(end) || size > headLimit || len(src) > limit || !utf8.Valid(src) {
		return Document{}, false
	}
	r := &reader{rest: string(src[:size])}
	r.expect("---\n")
	var d Document
	for _, f := range fields {
		if f.list != nil {
			*f.list(&d) = r.list(f.key)
		} else if mustHave(f) || strings.HasPrefix(r.rest, f.key+": '") {
			*f.text(&d) = r.scalar(f.key)
		}
	}
	r.expect("---\n\n")
	d.Body = string(src[size:])
	ok := !r.failed && r.rest == "" && d.HandoffID != "" && !strings.ContainsAny(d.Body, "\r\x00") &&
		!strings.ContainsAny(d.Body[:min(len(d.Body), 1)], " \t\n") // a leading blank line, which Parse drops
	return d, ok && hasShape(&d) && string(Render(d)) == string(src)
}

// hasShape reports whether Shape finds no fault, and no string of the frontmatter has a hidden character.
func hasShape(d *Document) bool {
	for _, f := range fields {
		unfit := func(s string) bool { return !f.shape.fits(s) || strings.ContainsFunc(s, form.IsHidden) }
		switch {
		case f.list != nil:
			if list := *f.list(d); len(list) > f.most || slices.ContainsFunc(list, unfit) {
				return false
			}
		case (*f.text(d) != "" || mustHave(f)) && unfit(*f.text(d)):
			return false
		}
	}
	return true
}

// A reader consumes expected text from the start of rest, or fails.
type reader struct {
	rest   string
	failed bool
}

func (r *reader) expect(text string) {
	rest, ok := strings.CutPrefix(r.rest, text)
	r.rest, r.failed = rest, r.failed || !ok
}

func (r *reader) scalar(key string) string {
	r.expect(key + ": '")
	return r.quoted()
}

// quoted consumes a line up to the end of its single-quoted scalar.
func (r *reader) quoted() string {
	line, rest, ok := strings.Cut(r.rest, "'\n")
	r.rest, r.failed = rest, r.failed || !ok
	return strings.ReplaceAll(line, "''", "'")
}

func (r *reader) list(key string) (items []string) {
	if rest, ok := strings.CutPrefix(r.rest, key+": []\n"); ok {
		r.rest = rest
		return nil
	}
	r.expect(key + ":\n")
	for !r.failed && strings.HasPrefix(r.rest, "  - '") {
		r.expect("  - '")
		items = append(items, r.quoted())
	}
	return items
}
