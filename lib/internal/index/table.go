package index

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const (
	heading   = "# Handoff Index"
	columns   = "| handoff_id | file | from | to | topic | ts_utc | read_by |"
	separator = "|------------|------|------|----|----|--------|---------|"
)

// MinRowLen is the length in bytes of the shortest possible row with its newline.
const MinRowLen = 136

// New returns the text of an index without rows.
func New() []byte { return []byte(heading + "\n\n" + columns + "\n" + separator + "\n") }

func link(archive string) string { return "- [" + archive + "](" + archive + ")" }

// A Line is one line of an index.
type Line struct {
	Number     int // 1-based
	Start, End int // byte offsets in the text; End is after the newline
	Text       string
	Row        Row
	IsRow      bool
}

// Lines returns the lines of text in order, and parses the rows.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for l := range RawLines(text) {
			l.Row, l.IsRow = ParseRow(l.Text)
			if !yield(l) {
				return
			}
		}
	}
}

// Rows returns the rows of text in order.
func Rows(text string) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for l := range Lines(text) {
			if l.IsRow && !yield(l.Row) {
				return
			}
		}
	}
}

// RawLines returns the lines of text in order, without parsing them.
func RawLines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for start, n := 0, 1; start < len(text); n++ {
			end, stop := len(text), len(text)
			if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
				end, stop = start+i+1, start+i
			}
			if !yield(Line{Number: n, Start: start, End: end, Text: text[start:stop]}) {
				return
			}
			start = end
		}
	}
}

// IsFurniture reports whether a line that is not a row belongs to the table: headings, the column names,
// blank lines and links to archives. People wrote every other line.
func (l Line) IsFurniture() bool { return isFurniture(trim(l.Text)) }

func isFurniture(t string) bool { return t == "" || t == heading || isHead(t) || isLink(t) }

// isColumns reports whether t has the column names, with any spacing: formatters align them with the rows.
func isColumns(t string) bool {
	return t == columns || strings.HasPrefix(t, "|") &&
		strings.ReplaceAll(t, " ", "") == strings.ReplaceAll(columns, " ", "")
}

// isSeparator reports whether t can separate the column names from the rows. Tables in the notes of people
// have another number of columns.
func isSeparator(t string) bool {
	return strings.Count(t, "|") == strings.Count(columns, "|") && t[0] == '|' && strings.Trim(t, "|- :") == ""
}

func isLink(t string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(t, "- ["), "]")
	return disk.IsArchive(name) && t == link(name)
}

// Find returns the first row of the id. It parses no row with another id.
func Find(text []byte, id string) (l Line, found bool) {
	for l = range RowsOf(text, func(has []byte) bool { return string(has) == id }) {
		return l, true
	}
	return Line{}, false
}

// FindPrefix returns the rows whose id begins with sha256:prefix. It parses no other row.
func FindPrefix(text []byte, prefix string) (rows []Row) {
	for l := range RowsOf(text, func(id []byte) bool { return bytes.HasPrefix(id, []byte("sha256:"+prefix)) }) {
		rows = append(rows, l.Row)
	}
	return rows
}

// First returns the first row of each wanted id, in the order of the text.
func First[T any](text []byte, want map[string]T) (rows []Row) {
	seen := make(map[string]bool)
	isNew := func(id []byte) bool { _, wanted := want[string(id)]; return wanted && !seen[string(id)] }
	for l := range RowsOf(text, isNew) {
		seen[l.Row.ID], rows = true, append(rows, l.Row)
	}
	return rows
}

// RowsOf returns the rows whose id is wanted. It parses no other row: it examines the beginning of each line.
func RowsOf(text []byte, isWanted func(id []byte) bool) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for start, n := 0, 1; start < len(text); n++ {
			end := start + cmp.Or(bytes.IndexByte(text[start:], '\n')+1, len(text)-start)
			if id := RowID(text[start:end]); id != nil && isWanted(id) {
				l := lineAt(text, start)
				if l.Number = n; l.IsRow && !yield(l) {
					return
				}
			}
			start = end
		}
	}
}

// Edit returns text with the result of edit instead of each row whose id is wanted. If edit returns false, the row is
// dropped with its line. All other lines stay byte for byte.
func Edit(text []byte, isWanted func(id []byte) bool, edit func(Row) (Row, bool)) []byte {
	out, kept := make([]byte, 0, len(text)+len(text)/8), 0
	for l := range RowsOf(text, isWanted) {
		row, stays := edit(l.Row)
		if stays && row == l.Row {
			continue
		}
		out = append(out, text[kept:l.Start]...)
		if kept = l.End; stays {
			out = append(out, row.String()...)
			kept = l.Start + len(l.Text)
		}
	}
	return append(out, text[kept:]...)
}

// Any wants all rows.
func Any([]byte) bool { return true }

// lineAt returns the line that holds offset i, without its number.
func lineAt(text []byte, i int) Line {
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	end, stop := len(text), len(text)
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		end, stop = i+n+1, i+n
	}
	l := Line{Start: start, End: end, Text: string(text[start:stop])}
	l.Row, l.IsRow = ParseRow(l.Text)
	return l
}

// Count returns the number of lines that begin like a row. It is never less than the number of rows.
func Count(text []byte) int {
	return bytes.Count(text, []byte(rowStart))
}

// IsEmpty reports whether text has no row.
func IsEmpty(text []byte) bool {
	for range RowsOf(text, Any) {
		return false
	}
	return true
}

// Append returns text with rows added after its last row. Like the builtin append, it does not change text
// but may overwrite the memory after it. It is fast if text ends in a row or in an empty table.
func Append(text []byte, rows []Row) []byte {
	const header = "\n" + columns + "\n" + separator + "\n"
	at, size := appendOffset(text), len("\n"+header)
	for _, r := range rows {
		size += r.size()
	}
	all, rest := text[:at], text[at:]
	if len(rest) > 0 {
		all = slices.Clip(all)
	}
	all = slices.Grow(all, size+len(rest))
	if at == 0 || text[at-1] != '\n' {
		all = append(all, '\n')
	}
	if IsEmpty(text) && !hasColumns(text) {
		all = append(all, header...)
	}
	for _, r := range rows {
		all = append(append(all, r.String()...), '\n')
	}
	return append(all, rest...)
}

func hasColumns(text []byte) bool {
	for l := range RawLines(string(text)) {
		if isColumns(trim(l.Text)) {
			return true
		}
	}
	return false
}

func appendOffset(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	last := lineAt(text, len(text)-1)
	if last.IsRow || isSeparator(trim(last.Text)) {
		return len(text)
	}
	at := -1
	for l := range Lines(string(text)) {
		if l.IsRow || (at < 0 && isSeparator(trim(l.Text))) {
			at = l.End
		}
	}
	if at < 0 {
		return len(text)
	}
	return at
}

// SetRows returns text with each row of edits, keyed by id, instead of the first row of that id.
func SetRows(text []byte, edits map[string]Row) []byte {
	done := make(map[string]bool)
	isNext := func(id []byte) bool { _, is := edits[string(id)]; return is && !done[string(id)] }
	return Edit(text, isNext, func(r Row) (Row, bool) {
		done[r.ID] = true
		return edits[r.ID], true
	})
}

// TakeOldest returns the first n rows of text and the text without their lines.
func TakeOldest(text []byte, n int) (rows []Row, rest []byte) {
	rest = Edit(text, func([]byte) bool { return len(rows) < n }, func(r Row) (Row, bool) {
		rows = append(rows, r)
		return r, false
	})
	return rows, rest
}

// AddArchives returns text with links to more archives above its table.
func AddArchives(text []byte, names []string) []byte {
	at, after := 0, false
	for l := range Lines(string(text)) {
		t := trim(l.Text)
		if isLink(t) {
			at, after = l.End, true
		}
		if isColumns(t) || l.IsRow {
			if !after {
				at = l.Start
			}
			break
		}
	}
	var add []byte
	for _, name := range names {
		add = append(add, link(name)+"\n"...)
	}
	if !after {
		add = append(add, '\n')
	}
	if at == len(text) {
		return append(text, add...)
	}
	return slices.Concat(text[:at], add, text[at:])
}

// DropRows returns text without the rows of the ids.
func DropRows(text []byte, ids map[string]bool) []byte {
	return Edit(text, func(id []byte) bool { return ids[string(id)] }, func(r Row) (Row, bool) { return r, false })
}
