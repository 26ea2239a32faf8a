package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An operation knows how recovery reads the outcome of a change from the disk, and how it brings the
// change about where the log already records it.
type operation struct {
	committed func(*Session, *Intent) (bool, error)
	redo      func(*Session, *Intent) error
}

var operations = map[string]operation{
	OpWrite:      {rowsAreThere, readdRows},
	OpMarkRead:   {marksAreThere, setMarks},
	OpRotate:     {rowsHaveLeft, func(*Session, *Intent) error { return nil }},
	OpRepair:     {indexIsReplaced, func(*Session, *Intent) error { return nil }},
	OpResume:     {tokenIsThere, (*Session).finishResume},
	OpRegenerate: {fingerprintIsThere, replaceFingerprint},
}

// Recover finishes or takes back what an interrupted change left, and removes what was staged for one that
// did not begin. When there is nothing to do it costs a failed open for each directory and one for the
// intent.
func (x *Session) Recover() error {
	for _, d := range []*durable.Dir{x.Dir, x.State} {
		d.CollectStaged()
	}
	_, err := x.finish()
	return err
}

// finish is recover, and says whether there was a change that is now committed.
func (x *Session) finish() (committed bool, err error) {
	intent, err := ReadIntent(x.Dir)
	if err != nil || intent == nil {
		return false, err
	}
	op, known := operations[intent.Op]
	if !known {
		return false, &fault.CorruptError{File: x.Path(layout.Intent), Why: fmt.Sprintf("unknown operation %q, perhaps of a newer version", intent.Op)}
	}
	log, err := x.Log(true)
	if err != nil {
		return false, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return false, err
	}
	logged, err := LogState(x.Store, log, info.Size(), intent)
	if err != nil {
		return false, err
	}
	if committed, err = op.committed(x, intent); err != nil {
		return false, err
	}
	switch {
	case committed:
		err = x.Dir.Sync() // the crash may have come between the rename and its sync
	case logged == logComplete:
		committed, err = true, op.redo(x, intent)
	default:
		err = x.unpublish(intent)
	}
	if err != nil {
		return committed, err
	}
	if err := x.removeStaged(); err != nil {
		return committed, err
	}
	if !committed {
		return false, x.Dir.Remove(layout.Intent)
	}
	return true, x.settle(*intent, log)
}

// unpublish takes the bodies of an uncommitted change back: only those that the change itself made, and
// only while they are what it made.
func (x *Session) unpublish(intent *Intent) error {
	listing, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return err
	}
	for _, body := range intent.Bodies {
		if body.Inode == 0 || isListed(listing, body.File) {
			continue
		}
		entry, err := x.Dir.Lstat(body.File)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !entry.Regular || entry.Inode != body.Inode {
			continue
		}
		text, err := x.Dir.ReadFile(body.File, layout.MaxIndex)
		if err != nil {
			return err
		}
		if canon.SHA256Hex(text) != body.SHA256 {
			continue
		}
		if err := x.Dir.Remove(body.File); err != nil {
			return err
		}
	}
	return x.Dir.Sync()
}

// isListed reports whether a row names the file, however people have changed that row.
func isListed(listing []byte, file string) bool {
	for l := range index.RawLines(string(listing)) {
		if strings.Contains(l.Text, file) && store.LooksLikeRow(l.Text) {
			return true
		}
	}
	return false
}

func (x *Session) removeStaged() error {
	for _, d := range []*durable.Dir{x.Dir, x.State} {
		if _, err := d.RemoveStaged(layout.IsReplaced); err != nil {
			return err
		}
	}
	return nil
}

func rowsAreThere(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return false, err
	}
	for _, body := range intent.Bodies {
		if l, ok := index.Find(text, body.ID); ok && l.Row.File == body.File {
			return true, nil // they came in one rename
		}
	}
	return false, nil
}

// readdRows is for an INDEX.md that was put back to an older state while the log went on.
func readdRows(x *Session, intent *Intent) error {
	var rows []index.Row
	for _, body := range intent.Bodies {
		text, err := x.Dir.ReadFile(body.File, layout.MaxDocument)
		if err != nil || canon.SHA256Hex(text) != body.SHA256 {
			return &fault.CorruptError{File: x.Path(body.File), Why: "is recorded in the audit log, but missing or changed"}
		}
		archived, err := x.inArchives(body.ID)
		if err != nil {
			return err
		}
		if row, ok := index.ParseRow(body.Row); ok && !archived {
			rows = append(rows, row)
		}
	}
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return err
	}
	return x.putIndex(layout.Index, index.Append(text, rows))
}

func (x *Session) inArchives(id string) (found bool, err error) {
	err = store.EachIndex(x.Dir, func(name string, text []byte) error {
		if _, ok := index.Find(text, id); ok && name != layout.Index {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

func indexIsReplaced(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, intent.Index)
	return canon.SHA256Hex(text) == intent.IndexSHA256, err
}

// ReplaceIndex is the commit of most changes: an index file that reads old becomes text. What people saved there since
// it was read is not overwritten.
func (x *Session) ReplaceIndex(name string, old, text []byte) error {
	now, err := store.ReadIndex(x.Dir, name)
	if err != nil {
		return err
	}
	if len(now) > 0 && !bytes.Equal(now, old) {
		return fault.New(fault.ErrBusy, "run the same command again", "%s was changed by something else meanwhile", x.Path(name))
	}
	return x.putIndex(name, text)
}

// putIndex is replaceIndex for what was read only now.
func (x *Session) putIndex(name string, text []byte) error {
	replace := func() error { return x.Dir.Replace(name, text, 0o644) }
	if name != layout.Index {
		if _, err := x.Dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			replace = func() error { return x.makeArchive(name, text) }
		}
	}
	if err := replace(); err != nil {
		return err
	}
	return x.Dir.Sync()
}
