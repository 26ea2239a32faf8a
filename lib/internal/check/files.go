package check

import (
	"context"
	"errors"
	"io/fs"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// checkDocuments compares the documents of rows with the rows and their events.
func (c *check) checkDocuments(ctx context.Context, rows []*Row) {
	c.EachShown(store.TaskProve, len(rows), 2*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() == nil {
			c.checkDocument(rows[i])
		}
	})
	c.report.Handoffs = len(rows)
}

// checkDocument verifies the document of a row: that it exists, agrees with the row and the log, has a proper
// mode, and that its record and its signature are valid.
func (c *check) checkDocument(row *Row) {
	text, file, err := c.Dir.AppendEntry(nil, row.File, disk.MaxDocument)
	if err == nil {
		c.checkFileMode(c.Dir, row.File, file)
	}
	// pruned since the rows were read, or the row was put back
	if errors.Is(err, fs.ErrNotExist) && c.isPruned(row.ID) {
		c.warn(row.Place(), remedyRepair, "lists %s, which was pruned", row.ID)
		return
	}
	remedy := remedyChanged(row.ID)
	if errors.Is(err, fs.ErrNotExist) {
		remedy = remedyMissing + "restore the file from git or a backup first"
	}
	doc, err := c.ParseListed(row.Row, text, err)
	corrupt := (*fault.CorruptError)(nil)
	switch {
	case errors.As(err, &corrupt):
		c.fault(row.Place(), remedy, "%s", corrupt.Error())
		c.checkRowEvents(row, nil)
	case errors.Is(err, fs.ErrPermission):
		c.fault(row.Place(), chmod("644", c.Dir, row.File), "%s cannot be read: %v", row.File, err)
	case err != nil:
		c.fault(row.Place(), "", "%s cannot be read: %v", row.File, err)
	default:
		if !isNameOf(doc, row.File) {
			c.warn(row.Place(), "", "%s does not have the name that the store would give it", row.File)
		}
		if err := c.Opt.CheckBody(doc.Body); err != nil {
			c.fault(c.RelPath(row.File),
				remedyRepair+" quarantines it; `handoff show ID | handoff write -` stores its record again "+
					"with "+
					"the right view", "%s", store.OneLine(err))
		}
		c.checkSignature(row, text)
		c.checkRowEvents(row, &doc)
	}
}

// isNameOf reports whether a store would give the document that name. The name may have digits of the id, as
// in a tracked store.
func isNameOf(doc document.Document, file string) bool {
	for n := range txn.MaxNames {
		if document.FileName(doc, n+1, false) == file || document.FileName(doc, n+1, true) == file {
			return true
		}
	}
	return false
}

// checkNames checks every name in the handoffs directory.
func (c *check) checkNames() {
	listed := make(map[string]bool, len(c.order))
	for _, row := range c.order {
		listed[row.File] = true
	}
	for _, name := range c.names {
		switch {
		case index.IsFile(name):
			if !listed[name] && !c.hidesRows() && c.isThere(name) {
				c.fault(c.RelPath(name), remedyRepair, "is not listed in the index")
			}
		case disk.IsStaged(name, disk.IsReplaced):
			c.warn(name, remedyStaged, "was left by an interrupted command, or one is at work")
		default:
			c.checkName(name)
		}
	}
}

// remedyStaged removes an unfinished file.
const remedyStaged = remedyWrite + " after an interruption, or " + remedyRepair

// checkName checks an entry of the handoffs directory that no row lists.
func (c *check) checkName(name string) {
	entry, err := c.Dir.Lstat(name)
	isState := c.State != nil && sameDir(c.Dir, name, c.State)
	switch {
	case err != nil || isState || name == disk.Signatures:
	case name == disk.Lock:
		c.checkLock(entry)
	case name == disk.IndexFile:
		c.checkOwnFile(c.Dir, name, entry)
	case disk.IsArchive(name):
		c.checkOwnFile(c.Dir, name, entry)
		if c.isUnlinked(name) {
			c.warn(name, remedyRepair, "is not linked from %s", disk.IndexFile)
		}
	case !entry.Regular:
		c.warn(name, "", "is not a regular file and no part of the store")
	}
}

// sameDir reports whether the entry name is the directory d. The state directory may be anywhere in the
// handoffs directory.
func sameDir(parent *disk.Dir, name string, d *disk.Dir) bool {
	entry, err := parent.Lstat(name)
	inner, innerErr := d.Lstat(".")
	return err == nil && innerErr == nil && entry.Inode == inner.Inode && entry.Inode != 0
}
