package life

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A First finds the one handoff that an operator should work on next. Expired handoffs that the operator
// holds come first, then the oldest by ts_utc.
type First struct {
	ID    string // "" while there is none
	Mine  map[string]bool
	Facts *Facts
	Now   time.Time

	time   string
	isLate bool
}

// Try selects row if it is open and comes before the present choice.
func (f *First) Try(row index.Row, isOpen func() bool) {
	isLate := f.Mine[row.ID] && f.Facts.Of(row.ID).IsExpired(f.Now)
	isFirst := f.ID == "" || isLate && !f.isLate || isLate == f.isLate && index.CompareTimes(row.Time, f.time) < 0
	if isFirst && isOpen() {
		f.ID, f.time, f.isLate = strings.Clone(row.ID), strings.Clone(row.Time), isLate
	}
}

// IsBefore reports whether the present choice comes before a row that the operator does not hold. It reads
// the time from the text of the row.
func (f *First) IsBefore(line []byte) bool {
	return f.ID != "" && index.IsRowLike(line) && index.CompareTimes(string(index.Cell(line, 5)), f.time) >= 0
}
