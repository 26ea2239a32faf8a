package document

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxCharFaults caps the report of a head that is full of bad characters.
const maxCharFaults = 20

// forbidden reports whether no string of a head may hold r: C0, DEL, C1, the line and paragraph
// separators, noncharacters.
func forbidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029:
		return true
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return true
	}
	return false
}

// badRune returns the first character of s that no string of a head may hold.
func badRune(s string) (rune, bool) {
	for _, r := range s {
		if forbidden(r) {
			return r, true
		}
	}
	return 0, false
}

// scanHead reports, at most once a line, the characters that may not stand in the source of a head,
// and the lines that would end its YAML document early. The second result says whether one did.
func scanHead(head []byte) (faults []Fault, cut bool) {
	directives := true // %-lines are directives only before the first line with content
	for number := 2; len(head) > 0; number++ {
		var line []byte
		line, head = cutLine(head)
		fault := scanMarker(line, directives)
		cut = cut || fault != nil
		if fault == nil {
			fault = scanLine(line)
		}
		if fault != nil && len(faults) < maxCharFaults {
			fault.Line = number
			faults = append(faults, *fault)
		}
		if text := bytes.TrimLeft(line, " "); len(text) > 0 && text[0] != '#' {
			directives = false
		}
	}
	return faults, cut
}

func scanMarker(line []byte, directives bool) *Fault {
	switch {
	case bytes.HasPrefix(line, []byte("...")):
		return &Fault{Column: 1, Problem: `a line that begins with "..." ends the YAML document`,
			Hint: "remove the line; only --- closes the head"}
	case bytes.HasPrefix(line, []byte("--- ")):
		return &Fault{Column: 1, Problem: "a second YAML document begins here",
			Hint: "keep one mapping between the --- lines"}
	case directives && bytes.HasPrefix(line, []byte("%")):
		return &Fault{Column: 1, Problem: "YAML directives are not allowed", Hint: "remove the line"}
	}
	return nil
}

func scanLine(line []byte) *Fault {
	column := 0
	for at := 0; at < len(line); column++ {
		r, size := rune(line[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(line[at:])
		}
		switch {
		case r == '\t':
			return &Fault{Column: column + 1, Problem: "the head holds a tab", Hint: "use spaces"}
		case r == 0xfeff && at == 0: // YAML skips it silently at the start of a line
			return &Fault{Column: 1, Problem: "a byte-order mark stands inside the head", Hint: "remove it"}
		case forbidden(r):
			return &Fault{Column: column + 1, Problem: fmt.Sprintf("the head holds the character U+%04X", r), Hint: "remove it"}
		}
		at += size
	}
	return nil
}

// show quotes a value for a message, cut to a length that a person can read.
func show(s string) string {
	const most = 80
	if runes := []rune(s[:min(len(s), 4*most+4)]); len(runes) > most {
		return strconv.Quote(string(runes[:most])) + "…"
	}
	return strconv.Quote(s)
}
