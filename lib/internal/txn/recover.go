package txn

import (
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

// Recover finishes or takes back what an interrupted change left, and removes what was staged for one
// that did not begin. When there is nothing to do it costs a failed open for each directory, that of
// signatures too, and one for the intent.
func (x *Session) Recover() error {
	for _, d := range []*durable.Dir{x.Dir, x.State} {
		d.CollectStaged()
	}
	if signatures, err := x.Dir.OpenDir(layout.Signatures); err == nil {
		signatures.CollectStaged()
		signatures.Close()
	}
	_, err := x.finish()
	return err
}

// finish is recover, and says whether there was a change that is now committed.
func (x *Session) finish() (committed bool, err error) {
	intent, err := ReadIntent(x.Dir, x.knownKey())
	if err != nil || intent == nil {
		return false, err
	}
	defer sparing(intent.logSize())()
	op := operationOf(intent)
	if op == nil {
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
		committed, err = true, op.bringAbout(x, intent)
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
	return true, x.settle(op, intent, log)
}

// unpublish takes the bodies of an uncommitted change back: only those that the change itself made,
// and only while they are what it made. In a copy of the directory files have other inodes; the
// intent, which nobody else can have made, and the content tell them there.
func (x *Session) unpublish(intent *Intent) error {
	listing, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return err
	}
	here, err := x.Dir.Lstat(".")
	if err != nil {
		return err
	}
	if err := x.unpublishSignatures(intent, listing); err != nil {
		return err
	}
	copied := intent.Place != 0 && intent.Place != here.Inode
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
		if !entry.Regular || !copied && entry.Inode != body.Inode {
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

// removeStaged takes away what commands that died had staged, in all directories of the store.
func (x *Session) removeStaged() error {
	for _, d := range []*durable.Dir{x.Dir, x.State} {
		if _, err := d.RemoveStaged(layout.IsReplaced); err != nil {
			return err
		}
	}
	signatures, err := x.Dir.OpenDir(layout.Signatures)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer signatures.Close()
		_, err = signatures.RemoveStaged(layout.IsReplaced)
	}
	return err
}

// inArchives reports whether an archive lists a handoff.
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
