package index

import (
	"slices"
	"strings"
)

// Join merges rows that occur several times, as git leaves them after a merge of two branches. The first row
// stays with the read marks of all; of each operator the earliest mark counts. Rows of one id that differ in
// another cell all stay.
func Join(text []byte) (joined []byte, changed bool) {
	rows := make(map[string]Row)
	doubled := make(map[string]bool)
	for l := range Lines(string(text)) {
		first, again := rows[l.Row.ID]
		switch {
		case !l.IsRow:
		case !again:
			rows[l.Row.ID] = l.Row
		case isSame(first, l.Row):
			rows[l.Row.ID], doubled[l.Row.ID] = first.joinMarks(l.Row), true
		}
	}
	if len(doubled) == 0 {
		return text, false
	}
	edits := make(map[string]Row, len(doubled))
	for id := range doubled {
		edits[id] = rows[id]
	}
	seen := make(map[string]bool)
	for l := range Lines(string(text)) {
		if l.IsRow && doubled[l.Row.ID] && isSame(rows[l.Row.ID], l.Row) {
			if seen[l.Row.ID] {
				continue
			}
			seen[l.Row.ID] = true
		}
		joined = append(joined, text[l.Start:l.End]...)
	}
	return SetRows(joined, edits), true
}

// isSame reports whether two rows differ only in their marks.
func isSame(a, b Row) bool {
	a.ReadBy, b.ReadBy = "", ""
	return a == b
}

// joinMarks returns the row with the marks of both, the earliest of each operator.
func (r Row) joinMarks(other Row) Row {
	marks := r.Marks()
	for _, m := range other.Marks() {
		at := slices.IndexFunc(marks, func(have Mark) bool { return have.Operator == m.Operator })
		switch {
		case at < 0:
			marks = append(marks, m)
		case strings.TrimSuffix(m.Time, "Z") < strings.TrimSuffix(marks[at].Time, "Z"):
			marks[at] = m
		}
	}
	r.ReadBy = ""
	for _, m := range marks {
		r = r.WithMark(m)
	}
	return r
}
