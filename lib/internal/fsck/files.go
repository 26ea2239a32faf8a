package fsck

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// checkDocuments reads the documents of the ids and holds them against their rows and events.
func (c *Check) checkDocuments(ctx context.Context, ids []string) {
	c.EachShown(store.TaskProve, len(ids), 2*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() == nil {
			c.checkDocument(c.Rows[ids[i]])
		}
	})
	c.report.Handoffs = len(ids)
}

func (c *Check) checkDocument(row *listedRow) {
	text, file, err := c.Dir.AppendEntry(nil, row.File, layout.MaxDocument)
	if err == nil {
		c.checkFileMode(c.Dir, row.File, file)
	}
	doc, err := c.ParseListed(row.Row, text, err)
	corrupt := (*fault.CorruptError)(nil)
	switch {
	case errors.As(err, &corrupt):
		c.fault(row.place, remedyRepair, "%s", corrupt.Error())
		c.checkRowEvents(row, nil)
	case errors.Is(err, fs.ErrPermission):
		c.fault(row.place, chmod("644", c.Dir, row.File), "%s cannot be read: %v", row.File, err)
	case err != nil:
		c.fault(row.place, "", "%s cannot be read: %v", row.File, err)
	default:
		if !isNameOf(doc, row.File) {
			c.warn(row.place, "", "%s is not named as the store would name it", row.File)
		}
		if err := c.Opt.CheckBody(doc.Body); err != nil {
			c.fault(c.RelPath(row.File), remedyRepair+" puts it aside; `handoff show ID | handoff write -` stores its record with the view that it should have", "%s", store.OneLine(err))
		}
		c.checkRowEvents(row, &doc)
	}
}

func isNameOf(doc document.Document, file string) bool {
	for n := range txn.MaxNames {
		if document.FileName(doc, n+1) == file {
			return true
		}
	}
	return false
}

// checkNames looks at every name in the handoffs directory.
func (c *Check) checkNames() error {
	names, err := c.Dir.Names(func(string) bool { return true })
	if err != nil {
		return err
	}
	listed := make(map[string]bool, len(c.Rows))
	for _, row := range c.Rows {
		listed[row.File] = true
	}
	var orphans []string
	slices.Sort(names)
	for _, name := range names {
		switch {
		case index.IsFile(name):
			if !listed[name] {
				orphans = append(orphans, name)
			}
		case durable.IsStaged(name, layout.IsReplaced):
			c.warn(name, remedyStaged(name), "was left by an interrupted command, or one is at work")
		default:
			c.checkName(name)
		}
	}
	return c.checkOrphans(orphans)
}

func remedyStaged(name string) string {
	if name == durable.StagingName {
		return "any writing command, once files that are not of the store are moved out of it"
	}
	return "any writing command after an interruption, or " + remedyRepair
}

func (c *Check) checkName(name string) {
	entry, err := c.Dir.Lstat(name)
	isState := c.State != nil && sameDir(c.Dir, name, c.State)
	switch {
	case err != nil || isState:
	case name == layout.Lock:
		c.checkLock(entry)
	case name == layout.Index:
		c.checkOwnFile(c.Dir, name, entry)
	case layout.IsArchive(name):
		c.checkOwnFile(c.Dir, name, entry)
		if !slices.Contains(index.Archives(string(c.Indexes[0].Text)), name) && !publishes(c.intent, name) && !c.hidesRows() {
			c.checkUnlinked(name)
		}
	case !entry.Regular && name != layout.Intent:
		c.warn(name, "", "is not a regular file and no part of the store")
	}
}

// checkUnlinked looks again: the archive may have been linked since the snapshot.
func (c *Check) checkUnlinked(name string) {
	text, err := store.ReadIndex(c.Dir, layout.Index)
	if err == nil && !slices.Contains(index.Archives(string(text)), name) {
		c.warn(name, remedyRepair, "is not linked from %s", layout.Index)
	}
}

func sameDir(parent *durable.Dir, name string, d *durable.Dir) bool {
	entry, err := parent.Lstat(name)
	inner, innerErr := d.Lstat(".")
	return err == nil && innerErr == nil && entry.Inode == inner.Inode && entry.Inode != 0
}

// checkOrphans reports stored files that no row lists. The files of a change that began after the
// snapshot are in its intent for as long as they are in no row.
func (c *Check) checkOrphans(names []string) error {
	if len(names) == 0 || c.hidesRows() {
		return nil
	}
	now := NewCheck(c.Store)
	now.Dir, now.State = c.Dir, c.State
	if err := now.ReadSnapshot(); err != nil {
		return err
	}
	now.ReadIndexes()
	listed := make(map[string]bool, len(now.Rows))
	for _, row := range now.Rows {
		listed[row.File] = true
	}
	for _, name := range names {
		_, err := c.Dir.Lstat(name)
		if listed[name] || publishes(now.intent, name) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.fault(c.RelPath(name), remedyRepair, "is not listed in the index")
	}
	return nil
}
