package index

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
			for _, m := range l.Row.Marks() {
				first = first.WithMark(m).WithEarlier(m)
			}
			rows[l.Row.ID], doubled[l.Row.ID] = first, true
		}
	}
	if len(doubled) == 0 {
		return text, false
	}
	seen := make(map[string]bool)
	return Edit(text, func(id []byte) bool { return doubled[string(id)] }, func(r Row) (Row, bool) {
		again := seen[r.ID]
		if !isSame(rows[r.ID], r) {
			return r, true
		}
		seen[r.ID] = true
		return rows[r.ID], !again
	}), true
}

// isSame reports whether two rows differ only in their marks.
func isSame(a, b Row) bool {
	a.ReadBy, b.ReadBy = "", ""
	return a == b
}
