package life

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A First looks for the one handoff that an operator should turn to: what they have and has expired is
// overdue and comes first, then what is oldest by its ts_utc.
type First struct {
	ID    string // "" while there is none
	Mine  map[string]bool
	Facts *Facts
	Now   time.Time

	time   string
	isLate bool
}

// Try takes a row that is open if it comes before the one that was found.
func (f *First) Try(row index.Row, isOpen func() bool) {
	isLate := f.Mine[row.ID] && f.Facts.Of(row.ID).IsExpired(f.Now)
	isFirst := f.ID == "" || isLate && !f.isLate || isLate == f.isLate && index.CompareTimes(row.Time, f.time) < 0
	if isFirst && isOpen() {
		f.ID, f.time, f.isLate = strings.Clone(row.ID), strings.Clone(row.Time), isLate
	}
}

// IsBefore tells from the text of a row, which the operator does not have, that it comes after the one
// that was found.
func (f *First) IsBefore(line []byte) bool {
	return f.ID != "" && index.IsRowLike(line) && index.CompareTimes(string(index.Cell(line, 5)), f.time) >= 0
}
