package packet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// MaxBytes is the size up to which a packet is read, as that of a handoff document by default.
const MaxBytes = 1 << 20

// Parse reads a packet. The error is a *fault.DocumentError with every fault of the packet: text that
// is not strict JSON (line and column; duplicate keys and numbers that lose digits are refused), and
// fields that are missing, empty or of another type (JSON pointer, line and column). The fields named
// in mayBeEmpty may be empty, not missing.
func Parse(data []byte, mayBeEmpty ...string) (Record, error) {
	v, err := read(data)
	if err != nil {
		return Record{}, err
	}
	d := decode(v)
	if faults := d.beside(mayBeEmpty); len(faults) > 0 {
		return Record{}, &fault.DocumentError{Faults: faults}
	}
	return d.record, nil
}

// Detect says whether a JSON value looks like a packet rather than another kind: an object with a resume
// token or with most of the required fields, and none of the roots of other kinds.
func Detect(v *jsontree.Value) bool {
	if v.Get("handoff") != nil || v.Get("schema_type") != nil {
		return false
	}
	present := 0
	for _, f := range fields {
		if !f.optional && v.Get(f.name) != nil {
			present++
		}
	}
	return present >= 5 || v.Get("resume_token") != nil
}

// read returns the JSON object in data. The error is a *fault.DocumentError.
func read(data []byte) (*jsontree.Value, error) {
	return jsontree.ParseObject(data, MaxBytes, "a packet")
}

// decoded is what was read of a packet: all that has the right type, and every fault.
type decoded struct {
	record Record
	faults []fault.Fault
	empty  map[int]string // index of a fault → name of the field that is only empty
}

// decode reads what has the right type and notes every fault, so that a check can say all that is
// wrong in one run.
func decode(v *jsontree.Value) *decoded {
	d := &decoded{empty: map[int]string{}}
	for _, f := range fields {
		member := v.Get(f.name)
		switch {
		case member == nil && f.optional:
		case member == nil:
			d.fault(v, "/"+f.name, fmt.Sprintf("required field %q is missing", f.name), "add it")
		case f.list != nil:
			*f.list(&d.record) = d.strings(f.name, member)
		default:
			*f.text(&d.record) = d.string(f.name, "/"+f.name, member)
		}
	}
	d.instant("updated_at", v)
	d.instant("expires_at", v)
	for _, m := range v.Members {
		if !known(m.Name) {
			d.record.Extra = append(d.record.Extra, Field{m.Name, json.RawMessage(m.Value.String())})
		}
	}
	return d
}

// beside returns the faults beside those of fields that may be empty.
func (d *decoded) beside(mayBeEmpty []string) (faults []fault.Fault) {
	for i, f := range d.faults {
		if name, ok := d.empty[i]; !ok || !slices.Contains(mayBeEmpty, name) {
			faults = append(faults, f)
		}
	}
	return faults
}

// known reports whether a packet has a field of that name.
func known(name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
}

// fault notes what is wrong with a value.
func (d *decoded) fault(v *jsontree.Value, pointer, problem, hint string) {
	d.faults = append(d.faults, fault.Fault{Line: v.Line, Column: v.Column, Pointer: pointer, Problem: problem, Hint: hint})
}

// string reads text that is not blank. name is the field it belongs to.
func (d *decoded) string(name, pointer string, v *jsontree.Value) string {
	switch {
	case v.Kind != jsontree.String:
		d.fault(v, pointer, "must be a string, is of type "+v.Kind.String(), "")
	case !utf8.ValidString(v.Text):
		d.fault(v, pointer, "holds half of a surrogate pair, which is not a character", "write the character itself")
	case blank(v.Text):
		d.empty[len(d.faults)] = name
		d.fault(v, pointer, "is empty", "say it in words, also when there is nothing to say")
	default:
		return v.Text
	}
	return ""
}

// strings reads a list of texts, each of them not blank.
func (d *decoded) strings(name string, v *jsontree.Value) []string {
	if v.Kind != jsontree.Array {
		d.fault(v, "/"+name, "must be a list of strings, is of type "+v.Kind.String(), "")
		return nil
	}
	if len(v.Items) == 0 {
		d.empty[len(d.faults)] = name
		d.fault(v, "/"+name, "is an empty list", "if there is nothing, say so in one entry")
	}
	var items []string
	for i, item := range v.Items {
		if s := d.string("", fmt.Sprintf("/%s/%d", name, i), item); s != "" {
			items = append(items, s)
		}
	}
	return items
}

// instant faults a time that is text but no time with a zone.
func (d *decoded) instant(name string, v *jsontree.Value) {
	member := v.Get(name)
	if member == nil || member.Kind != jsontree.String || blank(member.Text) {
		return
	}
	if _, ok := form.ISO(member.Text); !ok {
		hint := "write it like 2026-05-07T12:00:00Z"
		if _, naive := form.ISO(member.Text + "Z"); naive {
			hint = "it has no time zone: end it with Z or an offset such as +02:00"
		}
		d.fault(member, "/"+name, fmt.Sprintf("%s is not a time of ISO 8601 with an offset", quote(member.Text)), hint)
	}
}

// blank says whether text shows nothing: only spaces and characters without a shape.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool {
		switch {
		case r <= ' ', r == 0x85, r == 0xa0, r == 0xad, r == 0x1680, r == 0x3000, r == 0xfeff:
			return true
		}
		return r >= 0x2000 && r <= 0x200f || r >= 0x2028 && r <= 0x202f || r >= 0x205f && r <= 0x2064
	}) == ""
}
