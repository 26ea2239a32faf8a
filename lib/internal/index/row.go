// Package index reads and edits the table of handoffs that operators see in INDEX.md.
//
//	# Handoff Index
//
//	- [INDEX-0001.md](INDEX-0001.md)
//
//	| handoff_id | file | from | to | topic | ts_utc | read_by |
//	|------------|------|------|----|----|--------|---------|
//	| sha256:… | 2026-05-07-ann-ben-retry.md | ann | ben | retry | 2026-05-07T12:00:00Z | ben:2026-05-08T09:00:00Z |
//
// A line is a row only if every cell is well-formed. All other lines belong to the people who edit the file:
// edits keep them byte for byte. The list above the table links the archives, which have the same form and
// hold older rows.
package index

import (
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Row is one line of the table. Its strings may share memory with the text that it was parsed from.
type Row struct {
	ID, File, From, To, Topic, Time string

	// ReadBy is the cell as it is: a comma-separated list of operator:timestamp. A name without a time is not a mark.
	ReadBy string
}

// A Mark records that an operator has read a handoff.
type Mark struct {
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

const rowStart = "| sha256:"

// ParseRow parses one line, without its newline. It tolerates spaces around the line and a carriage return
// after it, since other tools write them.
func ParseRow(line string) (Row, bool) {
	line = strings.Trim(line, " \t\r")
	if !strings.HasPrefix(line, rowStart) || !strings.HasSuffix(line, "|") {
		return Row{}, false
	}
	var cells [7]string
	rest := line[1:]
	for i := range cells {
		end := strings.IndexByte(rest, '|')
		if end < 0 {
			return Row{}, false
		}
		cells[i] = strings.Trim(rest[:end], " ")
		rest = rest[end+1:]
	}
	r := Row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]}
	return r, rest == "" && r.wellFormed()
}

func (r Row) wellFormed() bool {
	return form.IsID(r.ID) && IsFile(r.File) && form.IsSlug(r.From, 64) && form.IsSlug(r.To, 64) &&
		form.IsSlug(r.Topic, 80) &&
		form.IsInstant(r.Time) && isReadBy(r.ReadBy)
}

// String returns the row as its line in the table, without a newline.
func (r Row) String() string {
	return "| " + strings.Join([]string{r.ID, r.File, r.From, r.To, r.Topic, r.Time, r.ReadBy}, " | ") + " |"
}

// size returns the length of the line of a row in bytes, with its newline.
func (r Row) size() int {
	return len("| ") + len(r.ID) + len(r.File) + len(r.From) + len(r.To) + len(r.Topic) + len(r.Time) + len(r.ReadBy) +
		6*len(" | ") + len(" |\n")
}

// CompareTimes compares two ts_utc. A time without a fraction is before one with a fraction.
func CompareTimes(a, b string) int {
	if len(a) == len(b) {
		return strings.Compare(a, b)
	}
	return strings.Compare(strings.TrimSuffix(a, "Z"), strings.TrimSuffix(b, "Z"))
}

// IsReadBy reports whether operator is in the read_by cell.
func (r Row) IsReadBy(operator string) bool {
	for rest := r.ReadBy; rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, ",")
		if name, _, ok := strings.Cut(strings.TrimLeft(entry, " "), ":"); ok && name == operator {
			return true
		}
	}
	return false
}

// IsTo reports whether the handoff is addressed to operator.
func (r Row) IsTo(operator string) bool { return document.IsTo(r.To, operator) }

// UnreadBy reports whether operator has not marked the handoff as read. "" means its recipient. A handoff to
// document.Next is unread until any operator marks it.
func (r Row) UnreadBy(operator string) bool {
	if r.To == document.Next {
		return len(r.Marks()) == 0
	}
	if operator == "" {
		operator = r.To
	}
	return !r.IsReadBy(operator)
}

// Marks returns the entries of the read_by cell in their order.
func (r Row) Marks() []Mark {
	if r.ReadBy == "" {
		return nil
	}
	var marks []Mark
	for entry := range strings.SplitSeq(r.ReadBy, ",") {
		name, ts, ok := strings.Cut(strings.Trim(entry, " "), ":")
		if !ok {
			continue // a typed name, or the text after a final comma
		}
		marks = append(marks, Mark{name, ts})
	}
	return marks
}

// WithMark returns the row with the marks added. Marks of operators that have one already are left out.
func (r Row) WithMark(marks ...Mark) Row {
	for _, m := range marks {
		if r.IsReadBy(m.Operator) {
			continue
		}
		if r.ReadBy != "" && !strings.HasSuffix(r.ReadBy, ",") {
			r.ReadBy += ","
		}
		r.ReadBy += m.Operator + ":" + m.Time
	}
	return r
}

// Before reports whether m is older than another mark.
func (m Mark) Before(other Mark) bool {
	at, ok := form.Instant(m.Time)
	old, known := form.Instant(other.Time)
	return ok && known && at.Before(old)
}

// WithoutMarks returns the row without those marks of m.Operator that are not newer than m.
func (r Row) WithoutMarks(m Mark) Row {
	entries := slices.DeleteFunc(strings.Split(r.ReadBy, ","), func(entry string) bool {
		name, ts, _ := strings.Cut(strings.Trim(entry, " "), ":")
		return name == m.Operator && !m.Before(Mark{name, ts})
	})
	r.ReadBy = strings.Join(entries, ",")
	return r
}

// WithEarlier returns the row with m in place of later marks of its operator.
func (r Row) WithEarlier(m Mark) Row {
	entries := strings.Split(r.ReadBy, ",")
	for i, entry := range entries {
		if name, ts, _ := strings.Cut(strings.Trim(entry, " "), ":"); name == m.Operator && m.Before(Mark{name, ts}) {
			entries[i] = m.Operator + ":" + m.Time
		}
	}
	r.ReadBy = strings.Join(entries, ",")
	return r
}

// IsFile reports whether s has the form of the name of a stored handoff: a date, a dash, slugs, .md. Such a
// name cannot leave the directory or be another file of the store.
func IsFile(s string) bool {
	const date = "0000-00-00-"
	stem, ok := strings.CutSuffix(s, ".md")
	return ok && form.IsSlug(stem, 255) && len(stem) > len(date) && form.Matches(stem[:len(date)], date)
}

func isReadBy(s string) bool {
	for s != "" {
		var entry string
		entry, s, _ = strings.Cut(s, ",")
		name, ts, ok := strings.Cut(strings.Trim(entry, " "), ":")
		if !form.IsSlug(name, 64) || ok && !form.IsInstant(ts) {
			return false
		}
	}
	return true
}
