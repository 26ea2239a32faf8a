package index

import (
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// Update brings INDEX.md and its archives up to the facts after a change. before is the point of the log before it, and
// changed has the handoffs whose rows may have changed, in the order of their arrival, those that were pruned too: none
// for a change that is about no handoff, all for one that may be about any. The facts must have all handoffs. With more
// than maxRows the oldest rows are in archives; 0 means that there are none.
//
// If INDEX.md is of the point before, and the change only added handoffs, their rows are added, and no other row is
// made. Otherwise the table is made again, and the archives too if they may have changed. What is right already is not
// written. Only files in which people wrote are synced.
//
// If INDEX.md cannot be read, Update fails and changes nothing, so that no text is lost. An archive that cannot be read
// or replaced stays; its error is returned when all else is done.
func Update(d *disk.Dir, v facts.View, before log.Point, changed []*facts.Handoff, maxRows int) error {
	f, err := open(d, disk.IndexFile)
	if err != nil {
		return err
	}
	each := max(maxRows/2, 1)
	old, recent := split(v.All(), each, maxRows)
	isOld := func(h *facts.Handoff) bool { return h.Order < recent[0].Order }
	isBefore := f.point == pointOf(before) && len(f.rows) > 0 && len(recent) > 0 &&
		rowID(f.rows[0]) == recent[0].ID && f.text() == f.old
	if !isBefore || slices.ContainsFunc(changed, isOld) {
		err = updateArchives(d, v, old, each)
	}
	if n := len(f.rows); !isBefore || n > len(recent) || !slices.Equal(recent[n:], changed) {
		f.rows = nil
	}
	f.point, f.rows = pointOf(v.At), appendRows(f.rows, v, recent[len(f.rows):])
	if err != nil {
		f.point = "" // the next change makes all tables again
	}
	return errors.Join(err, f.put(d))
}

// split returns the handoffs of the archives, each with so many, and those of INDEX.md.
func split(all []*facts.Handoff, each, maxRows int) (old, recent []*facts.Handoff) {
	if maxRows <= 0 || len(all) <= maxRows {
		return nil, all
	}
	archives := (len(all) - maxRows + each - 1) / each
	return all[:archives*each], all[archives*each:]
}

// updateArchives makes archives with each so many rows, and no others.
func updateArchives(d *disk.Dir, v facts.View, old []*facts.Handoff, each int) (err error) {
	count := 0
	update := func(name string, part []*facts.Handoff) {
		f, failed := open(d, name)
		if failed == nil {
			f.point, f.rows = "", appendRows(nil, v, part)
			failed = f.put(d)
		}
		err = errors.Join(err, failed)
	}
	for part := range slices.Chunk(old, each) {
		count++
		update(disk.Archive(count), part)
	}
	rest, failed := d.Names(func(name string) bool { return disk.ArchiveNumber(name) > count })
	for _, name := range rest {
		update(name, nil)
	}
	return errors.Join(err, failed)
}

// IsCurrent reports whether INDEX.md names the point of the facts. A file that cannot be read does not.
func IsCurrent(d *disk.Dir, v facts.View) bool {
	f, err := open(d, disk.IndexFile)
	return err == nil && f.point == pointOf(v.At)
}

// Typed returns the lines of the tables that are no rows of the facts: somebody typed or changed them. If INDEX.md is
// not current, the rows of handoffs that the log knows may be out of date, and are left out. A file that cannot be read
// is skipped; its error is returned with the lines of the others.
func Typed(d *disk.Dir, v facts.View) (lines []string, err error) {
	isCurrent := IsCurrent(d, v)
	names, err := d.Names(func(name string) bool { return name == disk.IndexFile || disk.ArchiveNumber(name) > 0 })
	for _, name := range names {
		f, failed := open(d, name)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		for _, row := range f.rows {
			h := v.Of(rowID(row))
			if h == nil || isCurrent && (h.Pruned || row != Row(h, v.Life(h))) {
				lines = append(lines, row)
			}
		}
	}
	return lines, err
}
