package check

import (
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkIndexes reads the rows of all index files and reports every line that should not be there.
func (c *check) checkIndexes() {
	for _, f := range c.Indexes {
		switch {
		case c.isUnreadable(f.Name) || f.Name == disk.IndexFile:
		case f.Missing:
			c.fault(f.Name, remedyRepair, "does not exist, but %s links it or a later one", disk.IndexFile)
		case !index.HasTable([]byte(f.Text)):
			c.fault(f.Name, remedyRepair, "is empty: it has no table")
		}
	}
	if !c.isUnreadable(disk.IndexFile) && errors.Is(c.HasLostIndex(), store.ErrIndexMissing) {
		c.fault(disk.IndexFile, remedyRebuild, "is missing or empty, but there are handoffs")
	}
	c.ListRows(func(f IndexFile, l index.Line) {
		place := fmt.Sprintf("%s:%d", f.Name, l.Number)
		switch {
		case l.IsRow, l.IsFurniture():
		case store.LooksLikeRow(l.Text): // it may hide a handoff
			c.fault(place, remedyRepair, "looks like a row but is malformed: %.80q", l.Text)
		default:
			c.warn(place, "", "is not part of the table and is ignored: %.80q", l.Text)
		}
	})
}
