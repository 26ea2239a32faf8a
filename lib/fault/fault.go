package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Fault is one problem of a document. All faults of a document are reported at once.
type Fault struct {
	Line    int    `json:"line,omitempty"`   // 1-based line in the document, 0 if unknown
	Column  int    `json:"column,omitempty"` // 1-based column in characters, 0 if unknown
	Pointer string `json:"pointer"`          // RFC 6901 pointer, "" for the whole document
	Problem string `json:"problem"`          // lower case, no final stop
	Hint    string `json:"hint,omitempty"`   // how to fix it, "" if Problem suffices
}

// String returns the fault as one line for people: place, field, problem, hint.
func (f Fault) String() string { return f.in("") }

func (f Fault) problem() string {
	if f.Hint == "" {
		return f.Problem
	}
	return f.Problem + "; " + f.Hint
}

// in returns the fault as String does, with the name of its document.
func (f Fault) in(name string) string {
	place, field := Prefixed(name), Field(f.Pointer)
	switch {
	case f.Line > 0 && name != "":
		place = fmt.Sprintf("%s:%d:%d: ", name, f.Line, f.Column)
	case f.Line > 0:
		place = fmt.Sprintf("line %d, column %d: ", f.Line, f.Column)
	}
	if f.Line > 0 && field == "body" {
		field = ""
	}
	return place + Prefixed(field) + f.problem()
}

// Field returns the field that a pointer leads to as people write it, such as to, tags[0] or plan.steps[2].
func Field(pointer string) (field string) {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case field == "":
			field = PointerName(token)
		case strings.Trim(token, "0123456789") == "":
			field += "[" + token + "]"
		default:
			field += "." + PointerName(token)
		}
	}
	return printable(field)
}

// printable quotes a pointer if it is long, or has characters that could control a terminal. Its tokens can be keys of
// an untrusted document.
func printable(pointer string) string {
	if len(pointer) > 200 || strings.ContainsFunc(pointer, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Quote(pointer)
	}
	return pointer
}

// Sort sorts faults by line, column and pointer, and faults of one place by their problems.
func Sort(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Pointer, b.Pointer),
			cmp.Compare(a.Problem, b.Problem))
	})
}

// Pointer returns the pointer of a member or item of another pointer (RFC 6901 section 3).
func Pointer(parent, name string) string { return parent + "/" + escape.Replace(name) }

// PointerName returns the unescaped name of a pointer token.
func PointerName(token string) string { return unescape.Replace(token) }

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)
