package handoff

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

const maxArchive = 10_000 // rows of one archive

type rotatePayload struct {
	Archive string `json:"archive"`
	Rows    int    `json:"rows"`
	First   string `json:"first_handoff_id"`
	Last    string `json:"last_handoff_id"`
}

// rotate seals the older rows into archives if INDEX.md would get longer than it may with the given number
// of new rows, and returns the text of INDEX.md that is then current. What is left is half of what it may
// have, so that the cost of a rotation is shared by many writes.
func (x *session) rotate(text []byte, adding int) ([]byte, error) {
	atMost := len(text) / index.MinRowLen // spares most writes the counting
	if x.opt.IndexMaxRows < 0 || atMost+adding <= x.opt.IndexMaxRows {
		return text, nil
	}
	rows := index.Count(text)
	if rows+adding <= x.opt.IndexMaxRows {
		return text, nil
	}
	sealed, rest := index.TakeOldest(text, rows-x.opt.IndexMaxRows/2)
	if len(sealed) == 0 {
		return text, nil
	}
	st := step{intent: journal.Intent{Op: journal.OpRotate, Index: index.Name}}
	n, err := x.nextArchive()
	if err != nil {
		return nil, err
	}
	var names []string
	for ; len(sealed) > 0; n++ {
		part := sealed[:min(len(sealed), maxArchive)]
		sealed = sealed[len(part):]
		names = append(names, index.ArchiveName(n))
		if err := x.addArchive(&st, index.ArchiveName(n), part); err != nil {
			return nil, err
		}
	}
	rest = index.AddArchives(rest, names)
	st.commit = func() error { return x.replaceIndex(index.Name, text, rest) }
	return rest, x.apply(st)
}

func (x *session) addArchive(st *step, name string, rows []index.Row) error {
	text := index.Append(index.New(nil), rows)
	staged, err := x.stageArchive(text)
	if err != nil {
		return err
	}
	inode, err := staged.Inode()
	if err != nil {
		return err
	}
	st.staged = append(st.staged, staged)
	st.intent.Bodies = append(st.intent.Bodies, journal.Body{File: name, SHA256: sha256Hex(text), Inode: inode, ID: rows[0].ID})
	st.events = append(st.events, event{eventRotate, rotatePayload{name, len(rows), rows[0].ID, rows[len(rows)-1].ID}})
	return nil
}

// stageArchive stages an archive with the mode of INDEX.md, if there is one, so that the same people can read both.
func (x *session) stageArchive(text []byte) (*durable.Staged, error) {
	staged, err := x.dir.BeginStage(text, 0o644)
	if err != nil {
		return nil, err
	}
	x.atEnd(staged.Discard)
	if err := staged.TakeMode(index.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return staged, staged.Sync()
}

// makeArchive makes an archive anew that is missing.
func (x *session) makeArchive(name string, text []byte) error {
	staged, err := x.stageArchive(text)
	if err != nil {
		return err
	}
	return staged.Publish(name)
}

// nextArchive returns the first number that is free and that no archive comes after.
func (x *session) nextArchive() (int, error) {
	n := 1
	err := eachIndex(x.dir, func(name string, _ []byte) error {
		if name != index.Name {
			n++
		}
		return nil
	})
	return n, err
}

// rowsHaveLeft tells by the links, which come with the same rename. Where people have removed those, rows that are not
// there any more have left.
func rowsHaveLeft(x *session, intent *journal.Intent) (bool, error) {
	text, err := readIndex(x.dir, index.Name)
	if err != nil {
		return false, err
	}
	linked := index.Archives(string(text))
	for _, body := range intent.Bodies {
		if _, err := x.dir.Lstat(body.File); errors.Is(err, fs.ErrNotExist) {
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
