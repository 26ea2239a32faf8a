package txn

import (
	"maps"
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
	sealed, rest := index.TakeOldest(x.index, rows-x.Opt.IndexMaxRows/2)
	if len(sealed) == 0 {
		return nil
	}
	c := &change{Record: journal.Record{Op: "rotate"}}
	linked := index.Archives(string(rest))
	fill := x.fillNumbered
	if x.Opt.Git == disk.GitTracked {
		fill = x.fillMonths
	}
	names, err := fill(c, sealed)
	if err != nil {
		return err
	}
	c.Links = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(linked, name) })
	for _, row := range sealed {
		c.Unset = append(c.Unset, row.ID)
	}
	if err := x.commit(c); err != nil {
		return err
	}
	return x.Checkpoint()
}

// fillNumbered makes as many new archives as the rows need.
func (x *Session) fillNumbered(c *change, rows []index.Row) (names []string, err error) {
	n, err := x.nextArchive()
	for ; err == nil && len(rows) > 0; n++ {
		part := rows[:min(len(rows), maxArchive)]
		rows = rows[len(part):]
		names = append(names, disk.Archive(n))
		c.seal(disk.Archive(n), part, index.Append(index.New(), part), &c.New)
	}
	return names, err
}

// fillMonths adds the rows to the archives of their months.
func (x *Session) fillMonths(c *change, rows []index.Row) ([]string, error) {
	months := make(map[string][]index.Row)
	for _, row := range rows {
		name := disk.MonthArchive(row.Time)
		months[name] = append(months[name], row)
	}
	names := slices.Sorted(maps.Keys(months))
	for _, name := range names {
		text, err := store.ReadIndex(x.Dir, name)
		if err != nil {
			return nil, err
		}
		if text == nil {
			c.seal(name, months[name], index.Append(index.New(), months[name]), &c.New)
			continue
		}
		joined, _ := index.Join(index.Append(text, months[name]))
		c.seal(name, months[name], joined, &c.Put)
	}
	return names, nil
}

// seal adds an archive with rows to a change.
func (c *change) seal(name string, rows []index.Row, text []byte, to *[]journal.File) {
	*to = append(*to, journal.File{Name: journal.Name{Place: journal.Handoffs, File: name},
		Text: journal.NewText(text)})
	c.events = append(c.events, eventlog.Pending{Type: eventlog.TypeRotate,
		Payload: eventlog.Rotated{Archive: name, Rows: len(rows), First: rows[0].ID, Last: rows[len(rows)-1].ID}})
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
