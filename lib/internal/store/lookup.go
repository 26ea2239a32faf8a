package store

import (
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Lookup finds rows by id, or by the first 32 digits of an id. The first call searches the index; the
// second reads all rows and keeps them. A Lookup is not safe for concurrent use.
type Lookup struct {
	*Store
	asked int
	rows  map[string]index.Row // keyed by the first lookupDigits digits
}

const lookupDigits = 32

// Row returns the row of an id. found is false if there is none.
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

// Forget makes the next call read the rows again.
func (l *Lookup) Forget() { l.rows = nil }
