package store

import (
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Lookup finds rows by id, or by its first 32 digits. The first is searched for, for the second all
// are read. It is for one goroutine.
type Lookup struct {
	*Store
	asked int
	rows  map[string]index.Row // by so many digits
}

const lookupDigits = 32

// Row returns the row of an id, and whether there is one.
func (l *Lookup) Row(id string) (row index.Row, found bool, err error) {
	digits := strings.TrimPrefix(id, form.IDPrefix)
	if len(digits) < lookupDigits {
		return row, false, nil
	}
	if l.asked++; l.rows == nil {
		d, err := l.Reader()
		if err != nil || d == nil {
			return row, false, err
		}
		defer d.Close()
		if l.asked == 1 {
			row, err = l.Find(d, id)
			if errors.Is(err, fault.ErrInvalid) {
				return row, false, nil
			}
			return row, err == nil, err
		}
		all, _, err := l.Scan(d, Choice{Is: func(index.Row) bool { return true }})
		if err != nil {
			return row, false, err
		}
		l.rows = make(map[string]index.Row, len(all))
		for _, row := range all {
			l.rows[row.ID[len(form.IDPrefix):][:lookupDigits]] = row
		}
	}
	row, found = l.rows[digits[:lookupDigits]]
	return row, found && strings.HasPrefix(row.ID, form.IDPrefix+digits), nil
}

// Forget has what was read so far read again.
func (l *Lookup) Forget() { l.rows = nil }
