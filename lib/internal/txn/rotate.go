package txn

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const maxArchive = 10_000 // rows of one archive

// makeRoom moves the older rows of INDEX.md into archives if adding rows would make it too long. It leaves
// half of the permitted rows, so that many writes share the cost of a rotation. The archives exist before the
// rows leave INDEX.md.
func (x *Session) makeRoom(adding int) error {
	atMost := len(x.index) / index.MinRowLen // avoids counting the rows in most writes
	if x.Opt.IndexMaxRows < 0 || atMost+adding <= x.Opt.IndexMaxRows {
		return nil
	}
	rows := index.Count(x.index)
	if rows+adding <= x.Opt.IndexMaxRows {
		return nil
	}
	moved, rest := index.TakeOldest(x.index, rows-x.Opt.IndexMaxRows/2)
	if len(moved) == 0 {
		return nil
	}
	c := &change{Record: journal.Record{Op: "rotate"}}
	linked := index.Archives(string(rest))
	names, err := x.fill(c, moved)
	if err != nil {
		return err
	}
	c.Links = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(linked, name) })
	for _, row := range moved {
		c.Unset = append(c.Unset, row.ID)
	}
	if err := x.commit(c); err != nil {
		return err
	}
	return x.Checkpoint()
}

// fill makes as many new archives as the rows need.
func (x *Session) fill(c *change, rows []index.Row) (names []string, err error) {
	n, err := x.nextArchive()
	for ; err == nil && len(rows) > 0; n++ {
		part, name := rows[:min(len(rows), maxArchive)], disk.Archive(n)
		rows, names = rows[len(part):], append(names, name)
		c.New = append(c.New, journal.File{Name: journal.Name{Place: journal.Handoffs, File: name},
			Text: journal.NewText(index.Append(index.New(), part))})
		c.events = append(c.events, eventlog.Pending{Type: eventlog.TypeRotate, Payload: eventlog.Rotated{Archive: name,
			Rows: len(part), First: part[0].ID, Last: part[len(part)-1].ID}})
	}
	return names, err
}

// nextArchive returns the number after that of the last archive.
func (x *Session) nextArchive() (int, error) {
	n := 1
	err := store.EachIndex(x.Dir, func(name string, _ []byte) error {
		n = max(n, disk.ArchiveNumber(name)+1)
		return nil
	})
	return n, err
}
