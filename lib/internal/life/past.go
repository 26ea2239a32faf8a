package life

import (
	"cmp"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Past divides the archived ones of all rows into those that may be pruned and those that may not,
// with the reason: what was archived after a time, is unread, open or awaits approval, what not lets
// nobody prune, and what takes the place of a handoff that stays, which would count again.
func (f *Facts) Past(all []index.Row, before, now time.Time, not func(index.Row) string) (may []index.Row, why map[string]string) {
	archived, stays := f.Archived(), make(map[string]bool)
	why = make(map[string]string)
	for _, row := range all {
		if archived[row.ID] {
			why[row.ID] = cmp.Or(f.WhyKept(row, before, now), not(row))
		}
		stays[row.ID] = !archived[row.ID] || why[row.ID] != ""
	}
	for again := true; again; { // what stays keeps what takes its place, and that keeps more
		again = false
		for _, row := range all {
			if stays[row.ID] {
				continue
			}
			for _, old := range f.Of(row.ID).Supersedes {
				if stays[old] {
					stays[row.ID], again, why[row.ID] = true, true, "takes the place of "+old+", which stays"
				}
			}
		}
	}
	for _, row := range all {
		if !stays[row.ID] {
			may = append(may, row)
			delete(why, row.ID)
		}
	}
	return may, why
}

// WhyKept says why a handoff is not past yet, "" if it is.
func (f *Facts) WhyKept(row index.Row, before, now time.Time) string {
	h := f.Of(row.ID)
	archived := h.Archive.Holds()
	if !archived.IsDone() {
		return "is not archived"
	}
	at, err := time.Parse(time.RFC3339Nano, archived.Time)
	if at.After(now) { // by a clock that is ahead
		at = now
	}
	if err != nil || at.After(before) {
		return "was archived at " + archived.Time
	}
	if h.Take.Holds().IsDone() && !h.Done.IsDone() { // also if it is superseded or has expired
		return "is taken and not done"
	}
	switch f.beneath(h, row, now) {
	case Unread:
		return "is unread"
	case Awaiting:
		return "awaits approval"
	}
	return ""
}
