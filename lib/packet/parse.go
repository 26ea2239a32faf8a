package packet

import (
	"encoding/json"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// MaxBytes is the maximum size of a packet, equal to the default for a handoff document.
const MaxBytes = 1 << 20

// Parse reads a packet. The error is a *fault.DocumentError with all faults of the packet. Text that is not
// strict JSON has line and column; duplicate keys and numbers that lose digits count. Fields that are missing,
// empty or of the wrong type have a JSON pointer, line and column. The fields in mayBeEmpty can be empty, but not
// missing.
func Parse(data []byte, mayBeEmpty ...string) (Record, error) {
	v, err := read(data)
	if err != nil {
		return Record{}, err
	}
	reading := Table().Read(v, nil)
	if faults := reading.Faults(mayBeEmpty...); len(faults) > 0 {
		return Record{}, &fault.DocumentError{Faults: faults}
	}
	var r Record
	for _, m := range v.Members {
		if !Table().Has(m.Name) {
			r.Extra = append(r.Extra, Field{m.Name, json.RawMessage(m.Value.String())})
		}
	}
	return r, json.Unmarshal(reading.Record.Append(nil), &r)
}

// read returns the JSON object in data. The error is a *fault.DocumentError.
func read(data []byte) (*jsontree.Value, error) {
	return jsontree.ParseObject(data, MaxBytes, "a packet")
}

// checkTime returns the problem of a text that is not a time with an offset, and a hint.
func checkTime(text string) (problem, hint string) {
	if _, ok := form.ISO(text); ok {
		return "", ""
	}
	hint = "use a time such as 2026-05-07T12:00:00Z"
	if _, naive := form.ISO(text + "Z"); naive {
		hint = "add Z or an offset such as +02:00"
	}
	return quote(text) + " is not an ISO 8601 time with an offset", hint
}

// blank reports whether text is invisible: only spaces and characters without a shape.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool {
		switch {
		case r <= ' ', r == 0x85, r == 0xa0, r == 0xad, r == 0x1680, r == 0x3000, r == 0xfeff:
			return true
		}
		return r >= 0x2000 && r <= 0x200f || r >= 0x2028 && r <= 0x202f || r >= 0x205f && r <= 0x2064
	}) == ""
}
