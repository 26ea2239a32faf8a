package txn

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// rotate seals the older rows of INDEX.md into archives. The archives are there before the replacement of INDEX.md
// commits it.
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
	n, err := x.nextArchive()
	if err != nil {
		return nil, err
	}
	var names []string
	for ; len(sealed) > 0; n++ {
		part := sealed[:min(len(sealed), maxArchive)]
		sealed = sealed[len(part):]
		names = append(names, layout.Archive(n))
		if err := x.addArchive(&st, layout.Archive(n), part); err != nil {
			return nil, err
		}
	}
	rest = index.AddArchives(rest, names)
	st.commit = func() error { return x.replaceIndex(layout.Index, text, rest) }
	return rest, x.apply(st)
}

func (x *Session) addArchive(st *step, name string, rows []index.Row) error {
	text := index.Append(index.New(nil), rows)
	staged, err := x.stageArchive(text)
	if err != nil {
		return err
	}
	st.staged = append(st.staged, staged)
	st.intent.Bodies = append(st.intent.Bodies, Body{File: name, SHA256: canon.SHA256Hex(text), Inode: staged.Inode(), ID: rows[0].ID})
	st.events = append(st.events, eventlog.Pending{Type: eventlog.TypeRotate, Payload: eventlog.Rotated{Archive: name, Rows: len(rows), First: rows[0].ID, Last: rows[len(rows)-1].ID}})
	return nil
}

// stageArchive stages an archive with the mode of INDEX.md, if there is one, so that the same people can read both.
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
		if name != layout.Index {
			n++
		}
		return nil
	})
	return n, err
}

// rowsHaveLeft tells by the links, which come with the same rename. Where people have removed those, rows that are not
// there any more have left.
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
		if _, ok := index.Find(text, body.ID); ok && !slices.Contains(linked, body.File) {
			return false, nil
		}
	}
	return true, nil
}
