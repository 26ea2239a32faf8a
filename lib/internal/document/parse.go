package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Draft is the result of Parse: frontmatter as a JSON-like value, the places of its values, and a body. If Check
// returns no fault, Document returns the document.
type Draft struct {
	head    map[string]any // nil if the frontmatter cannot be parsed
	body    string
	places  map[string]place // by RFC 6901 pointer
	faulted map[string]bool  // the pointers of values that have a fault
	faults  []Fault

	// Comments are the lines of comments in the frontmatter. They are not part of the document.
	Comments []int
}

// A place is a line and a column of the text, counted from 1.
type place struct{ line, column int }

// Parse parses a document of at most limit bytes. The faults are those of the text and the YAML. Check returns them
// together with those of the values. The Draft is never nil.
func Parse(src []byte, limit int) (*Draft, []Fault) {
	d := parse(src, limit, MaxHead)
	return d, d.faults
}

func parse(src []byte, limit, headLimit int) *Draft {
	d := &Draft{faulted: map[string]bool{}}
	if len(src) > limit {
		return d.fail(tooLong(len(src), limit))
	}
	head, body, fault := Split(src)
	switch {
	case fault != nil:
		return d.fail(*fault)
	case len(head) > headLimit:
		return d.fail(headTooLong(len(head), headLimit))
	}
	d.body = string(body)
	d.places = map[string]place{"": {1, 1}}
	d.readHead(head)
	return d
}

func tooLong(size, limit int) Fault {
	return Fault{Problem: fmt.Sprintf("the document has %d bytes, at most %d are allowed", size, limit),
		Hint: "shorten it, or put the long part in a file and name that in references"}
}

func headTooLong(size, limit int) Fault {
	return Fault{Line: 1, Column: 1, Problem: fmt.Sprintf("the head has %d bytes, at most %d are allowed", size, limit),
		Hint: "move long text into the body"}
}

func (d *Draft) fail(f Fault) *Draft {
	d.faults = append(d.faults, f)
	return d
}

// Compose makes a Draft from fields of flags or a record. The rules for text are those of Parse. Faults have a
// pointer but no line.
func Compose(fields Document) (*Draft, []Fault) {
	d := &Draft{head: fields.Instance(), faulted: map[string]bool{}}
	body := form.Normal([]byte(fields.Body))
	if fault := checkText(body); fault != nil && len(body) > 0 {
		fault.Pointer = "/body"
		d.fail(*fault)
	}
	d.body = string(trimBlankLines(body))
	for key, value := range d.head {
		switch value := value.(type) {
		case string:
			d.checkRunes(value, fault.Pointer("", key), place{})
		case []any:
			for i, item := range value {
				d.checkRunes(item.(string), fmt.Sprintf("/%s/%d", key, i), place{})
			}
		}
	}
	fault.Sort(d.faults)
	return d, d.faults
}

// checkRunes reports a forbidden character in a string of the frontmatter.
func (d *Draft) checkRunes(s, pointer string, at place) {
	i := strings.IndexFunc(s, form.IsHidden)
	if i < 0 {
		return
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	hint := "remove it"
	if r == '\n' {
		hint = "write the value on one line; a block scalar needs |- or >-"
	}
	d.report(at, pointer, fmt.Sprintf("the value holds the character U+%04X", r), hint)
}

// report adds a fault of a value. Check then omits the faults that the rules find in the same value.
func (d *Draft) report(at place, pointer, problem, hint string) {
	d.faulted[pointer] = true
	d.faults = append(d.faults, Fault{Line: at.line, Column: at.column, Pointer: pointer, Problem: problem, Hint: hint})
}

// Check returns all faults of the draft, sorted by place: those of Parse, and those of the rules (Shape, or a JSON
// Schema). A value has only faults of one of them. If there are none, Document returns a valid document.
func (d *Draft) Check(rules func(instance any) []Fault) []Fault {
	faults := slices.Clone(d.faults)
	if d.head == nil {
		return faults
	}
	for _, f := range rules(d.head) {
		if d.isCovered(f.Pointer) {
			continue
		}
		f.Line, f.Column = d.Locate(f.Pointer)
		faults = append(faults, f)
	}
	fault.Sort(faults)
	return faults
}

// isCovered reports whether the value at pointer, or a value that contains it, has a fault.
func (d *Draft) isCovered(pointer string) bool {
	for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if d.faulted[pointer] {
			return true
		}
	}
	return d.faulted[""]
}

// Locate returns line and column of the value at an RFC 6901 pointer, counted from 1. If there is no such value, it
// returns the place of what should contain it. It returns 0, 0 for a composed draft.
func (d *Draft) Locate(pointer string) (line, column int) {
	for {
		at, ok := d.places[pointer]
		slash := strings.LastIndexByte(pointer, '/')
		if ok || slash < 0 {
			return at.line, at.column
		}
		pointer = pointer[:slash]
	}
}

// Lacks reports whether the frontmatter lacks a field.
func (d *Draft) Lacks(key string) bool {
	_, has := d.head[key]
	return !has
}

// Document returns the document of the draft. It is valid only if Check returns no fault. Values of the wrong type
// are omitted.
func (d *Draft) Document() Document {
	doc := Document{Body: d.body}
	for _, f := range fields {
		if f.list == nil {
			*f.text(&doc), _ = d.head[f.key].(string)
			continue
		}
		items, _ := d.head[f.key].([]any)
		for _, item := range items {
			if s, ok := item.(string); ok {
				*f.list(&doc) = append(*f.list(&doc), s)
			}
		}
	}
	return doc
}

// CheckSize returns a fault if Parse with the same limit would refuse the rendered bytes: quotes and keys make the
// document larger.
func CheckSize(rendered []byte, limit int) *Fault {
	if len(rendered) > limit {
		return &Fault{Problem: fmt.Sprintf("as stored, the document has %d bytes, at most %d are allowed",
			len(rendered), limit),
			Hint: "shorten it, or put the long part in a file and name that in references"}
	}
	head, _, fault := Split(rendered)
	if fault == nil && len(head) > MaxHead {
		f := headTooLong(len(head), MaxHead)
		return &f
	}
	return fault
}
