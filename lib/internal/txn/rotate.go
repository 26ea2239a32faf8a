package txn

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// rotate seals the older rows of INDEX.md into archives. The archives are there before the replacement
// of INDEX.md commits it.
var rotate = Operation{Name: "rotate", committed: rowsHaveLeft}

const maxArchive = 10_000 // rows of one archive

// makeRoom seals the older rows into archives if INDEX.md would get longer than it may with the given number
// of new rows, and returns the text of INDEX.md that is then current. What is left is half of what it may
// have, so that the cost of a rotation is shared by many writes.
func (x *Session) makeRoom(text []byte, adding int) ([]byte, error) {
	atMost := len(text) / index.MinRowLen // spares most writes the counting
	if x.Opt.IndexMaxRows < 0 || atMost+adding <= x.Opt.IndexMaxRows {
		return text, nil
	}
	rows := index.Count(text)
	if rows+adding <= x.Opt.IndexMaxRows {
		return text, nil
	}
	sealed, rest := index.TakeOldest(text, rows-x.Opt.IndexMaxRows/2)
	if len(sealed) == 0 {
		return text, nil
	}
	st := step{op: &rotate, intent: Intent{Index: layout.Index}}
	linked := index.Archives(string(rest))
	fill := x.fillNumbered
	if x.Opt.Git == layout.GitTracked {
		fill = x.fillMonths
	}
	names, err := fill(&st, sealed)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(linked, name) })
	if len(names) > 0 {
		rest = index.AddArchives(rest, names)
	}
	st.commit = func() error { return x.replaceIndex(layout.Index, text, rest) }
	return rest, x.apply(st)
}

// fillNumbered makes as many new archives as the rows need.
func (x *Session) fillNumbered(st *step, rows []index.Row) (names []string, err error) {
	n, err := x.nextArchive()
	for ; err == nil && len(rows) > 0; n++ {
		part := rows[:min(len(rows), maxArchive)]
		rows = rows[len(part):]
		names = append(names, layout.Archive(n))
		err = x.addArchive(st, layout.Archive(n), part)
	}
	return names, err
}

// fillMonths puts the rows into the archives of their months. One that is there has them at once:
// until INDEX.md is replaced they stand in both, as readers expect of any row.
func (x *Session) fillMonths(st *step, rows []index.Row) ([]string, error) {
	months := make(map[string][]index.Row)
	for _, row := range rows {
		name := layout.MonthArchive(row.Time)
		months[name] = append(months[name], row)
	}
	names := slices.Sorted(maps.Keys(months))
	for _, name := range names {
		text, err := store.ReadIndex(x.Dir, name)
		switch {
		case err != nil:
		case text == nil:
			err = x.addArchive(st, name, months[name])
		default:
			joined, _ := index.Join(index.Append(text, months[name]))
			err = x.replaceIndex(name, text, joined)
			st.seal(name, months[name], Body{SHA256: canon.SHA256Hex(joined)})
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// addArchive adds a new archive with the rows to a rotation. It is a body as documents are: staged without
// a name, published exclusively.
func (x *Session) addArchive(st *step, name string, rows []index.Row) error {
	text := index.Append(index.New(nil), rows)
	staged, err := x.stageArchive(text)
	if err != nil {
		return err
	}
	st.staged = append(st.staged, staged)
	st.seal(name, rows, Body{SHA256: canon.SHA256Hex(text), Inode: staged.Inode()})
	return nil
}

// seal notes that rows are in an archive. A body without an inode was there before.
func (st *step) seal(name string, rows []index.Row, body Body) {
	body.File, body.ID = name, rows[0].ID
	st.intent.Bodies = append(st.intent.Bodies, body)
	st.events = append(st.events, eventlog.Pending{Type: eventlog.TypeRotate, Payload: eventlog.Rotated{Archive: name, Rows: len(rows), First: rows[0].ID, Last: rows[len(rows)-1].ID}})
}

// stageArchive stages an archive with the mode of INDEX.md, if there is one, so that the same people
// can read both.
func (x *Session) stageArchive(text []byte) (*durable.Staged, error) {
	staged, err := x.Dir.BeginStage(text, 0o644)
	if err != nil {
		return nil, err
	}
	x.AtEnd(staged.Discard)
	if err := staged.TakeMode(layout.Index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return staged, staged.Sync()
}

// makeArchive makes an archive anew that is missing.
func (x *Session) makeArchive(name string, text []byte) error {
	staged, err := x.stageArchive(text)
	if err != nil {
		return err
	}
	return staged.Publish(name)
}

// nextArchive returns the first number that is free and that no archive comes after.
func (x *Session) nextArchive() (int, error) {
	n := 1
	err := store.EachIndex(x.Dir, func(name string, _ []byte) error {
		n = max(n, layout.ArchiveNumber(name)+1)
		return nil
	})
	return n, err
}

// rowsHaveLeft tells by the links, which come with the same rename. Where people have removed those,
// rows that are not there any more have left.
func rowsHaveLeft(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return false, err
	}
	linked := index.Archives(string(text))
	for _, body := range intent.Bodies {
		if _, err := x.Dir.Lstat(body.File); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if _, ok := index.Find(text, body.ID); ok && (body.Inode == 0 || !slices.Contains(linked, body.File)) {
			return false, nil
		}
	}
	return true, nil
}
