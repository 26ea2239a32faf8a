package life

import (
	"cmp"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Prunable returns the archived rows that can be pruned, and why the others cannot. A handoff stays if it was
// archived after the time before, is unread, or is taken and not done. The function not
// returns other reasons to keep a row. A handoff also stays if it supersedes one that stays, which would
// count again otherwise.
func (f *Facts) Prunable(all []index.Row, before, now time.Time, not func(index.Row) string) (may []index.Row,
	why map[string]string) {
	archived, stays := f.Archived(), make(map[string]bool)
	why = make(map[string]string)
	for _, row := range all {
		if archived[row.ID] {
			why[row.ID] = cmp.Or(f.WhyKept(row, before, now), not(row))
		}
		stays[row.ID] = !archived[row.ID] || why[row.ID] != ""
	}
	for again := true; again; { // a handoff that stays keeps its successor, which may keep more
		again = false
		for _, row := range all {
			if stays[row.ID] {
				continue
			}
			for _, old := range f.Of(row.ID).Supersedes {
				if stays[old] {
					stays[row.ID], again, why[row.ID] = true, true, "supersedes "+old+", which stays"
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

// WhyKept returns why a handoff cannot be pruned yet, or "" if it can.
func (f *Facts) WhyKept(row index.Row, before, now time.Time) string {
	h := f.Of(row.ID)
	archived := h.Archive.Holds()
	if !archived.IsDone() {
		return "is not archived"
	}
	at, err := time.Parse(time.RFC3339Nano, archived.Time)
	if at.After(now) { // the clock was ahead
		at = now
	}
	if err != nil || at.After(before) {
		return "was archived at " + archived.Time
	}
	if h.Take.Holds().IsDone() && !h.Done.IsDone() { // even if it is superseded or expired
		return "is taken and not done"
	}
	if f.activeState(h, row, now) == Unread {
		return "is unread"
	}
	return ""
}
