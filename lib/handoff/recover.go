package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// An operation knows how recovery reads the outcome of a change from the disk, and how it brings the
// change about where the log already records it.
type operation struct {
	committed func(*session, *journal.Intent) (bool, error)
	redo      func(*session, *journal.Intent) error
}

var operations = map[string]operation{
	journal.OpWrite:      {rowsAreThere, readdRows},
	journal.OpMarkRead:   {marksAreThere, setMarks},
	journal.OpRotate:     {rowsHaveLeft, func(*session, *journal.Intent) error { return nil }},
	journal.OpRepair:     {indexIsReplaced, func(*session, *journal.Intent) error { return nil }},
	journal.OpResume:     {tokenIsThere, (*session).finishResume},
	journal.OpRegenerate: {fingerprintIsThere, replaceFingerprint},
}

// Recover finishes or takes back what an interrupted command left, as every writing command does before anything
// else. It is for those that may find that there is nothing to write. Its errors are those of Write.
func (s *Store) Recover(ctx context.Context) (err error) {
	defer func() { err = fault.Unpublished(err) }()
	dir, err := s.openPlace(s.opt.Dir)
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	if _, err := dir.Lstat(journal.IntentName); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := s.guard(); err != nil {
		return err
	}
	return s.locked(ctx, func(*session) error { return nil })
}

// recover finishes or takes back what an interrupted change left, and removes what was staged for one that
// did not begin. When there is nothing to do it costs a failed open for each directory and one for the
// intent.
func (x *session) recover() error {
	for _, d := range []*durable.Dir{x.dir, x.state} {
		d.CollectStaged()
	}
	_, err := x.finish()
	return err
}

// finish is recover, and says whether there was a change that is now committed.
func (x *session) finish() (committed bool, err error) {
	intent, err := x.readIntent()
	if err != nil || intent == nil {
		return false, err
	}
	op, known := operations[intent.Op]
	if !known {
		return false, &CorruptError{File: x.path(journal.IntentName), Why: fmt.Sprintf("unknown operation %q, perhaps of a newer version", intent.Op)}
	}
	log, err := x.log(true)
	if err != nil {
		return false, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return false, err
	}
	logged, err := x.logState(log, info.Size(), intent)
	if err != nil {
		return false, err
	}
	if committed, err = op.committed(x, intent); err != nil {
		return false, err
	}
	switch {
	case committed:
		err = x.dir.Sync() // the crash may have come between the rename and its sync
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
		return false, x.dir.Remove(journal.IntentName)
	}
	return true, x.settle(*intent, log)
}

// unpublish takes the bodies of an uncommitted change back: only those that the change itself made, and
// only while they are what it made.
func (x *session) unpublish(intent *journal.Intent) error {
	listing, err := readIndex(x.dir, index.Name)
	if err != nil {
		return err
	}
	for _, body := range intent.Bodies {
		if body.Inode == 0 || isListed(listing, body.File) {
			continue
		}
		entry, err := x.dir.Lstat(body.File)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !entry.Regular || entry.Inode != body.Inode {
			continue
		}
		text, err := x.dir.ReadFile(body.File, maxIndex)
		if err != nil {
			return err
		}
		if sha256Hex(text) != body.SHA256 {
			continue
		}
		if err := x.dir.Remove(body.File); err != nil {
			return err
		}
	}
	return x.dir.Sync()
}

// isListed reports whether a row names the file, however people have changed that row.
func isListed(listing []byte, file string) bool {
	for l := range index.RawLines(string(listing)) {
		if strings.Contains(l.Text, file) && looksLikeRow(l.Text) {
			return true
		}
	}
	return false
}

func (x *session) removeStaged() error {
	for _, d := range []*durable.Dir{x.dir, x.state} {
		if _, err := d.RemoveStaged(isReplaced); err != nil {
			return err
		}
	}
	return nil
}

func rowsAreThere(x *session, intent *journal.Intent) (bool, error) {
	text, err := readIndex(x.dir, index.Name)
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
func readdRows(x *session, intent *journal.Intent) error {
	var rows []index.Row
	for _, body := range intent.Bodies {
		text, err := x.dir.ReadFile(body.File, maxStored)
		if err != nil || sha256Hex(text) != body.SHA256 {
			return &CorruptError{File: x.path(body.File), Why: "is recorded in the audit log, but missing or changed"}
		}
		archived, err := x.inArchives(body.ID)
		if err != nil {
			return err
		}
		if row, ok := index.ParseRow(body.Row); ok && !archived {
			rows = append(rows, row)
		}
	}
	text, err := readIndex(x.dir, index.Name)
	if err != nil {
		return err
	}
	return x.putIndex(index.Name, index.Append(text, rows))
}

func (x *session) inArchives(id string) (found bool, err error) {
	err = eachIndex(x.dir, func(name string, text []byte) error {
		if _, ok := index.Find(text, id); ok && name != index.Name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

func indexIsReplaced(x *session, intent *journal.Intent) (bool, error) {
	text, err := readIndex(x.dir, intent.Index)
	return sha256Hex(text) == intent.IndexSHA256, err
}

// replaceIndex is the commit of most changes: an index file that reads old becomes text. What people saved there since
// it was read is not overwritten.
func (x *session) replaceIndex(name string, old, text []byte) error {
	now, err := readIndex(x.dir, name)
	if err != nil {
		return err
	}
	if len(now) > 0 && !bytes.Equal(now, old) {
		return fault.New(ErrBusy, "run the same command again", "%s was changed by something else meanwhile", x.path(name))
	}
	return x.putIndex(name, text)
}

// putIndex is replaceIndex for what was read only now.
func (x *session) putIndex(name string, text []byte) error {
	replace := func() error { return x.dir.Replace(name, text, 0o644) }
	if name != index.Name {
		if _, err := x.dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			replace = func() error { return x.makeArchive(name, text) }
		}
	}
	if err := replace(); err != nil {
		return err
	}
	return x.dir.Sync()
}
