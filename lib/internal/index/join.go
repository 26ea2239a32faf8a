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
