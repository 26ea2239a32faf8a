package handoff

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// checkDocuments reads the documents of the ids and holds them against their rows and events.
func (c *check) checkDocuments(ctx context.Context, ids []string) {
	c.eachShown(TaskProve, len(ids), 2*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() == nil {
			c.checkDocument(c.rows[ids[i]])
		}
	})
	c.report.Handoffs = len(ids)
}

func (c *check) checkDocument(row *listedRow) {
	text, file, err := c.dir.AppendEntry(nil, row.File, maxStored)
	if err == nil {
		c.checkFileMode(c.dir, row.File, file)
	}
	doc, err := c.parseListed(Entry{row.Row}, text, err)
	corrupt := (*CorruptError)(nil)
	switch {
	case errors.As(err, &corrupt):
		c.fault(row.place, remedyRepair, "%s", corrupt.Error())
		c.checkRowEvents(row, nil)
	case errors.Is(err, fs.ErrPermission):
		c.fault(row.place, chmod("644", c.dir, row.File), "%s cannot be read: %v", row.File, err)
	case err != nil:
		c.fault(row.place, "", "%s cannot be read: %v", row.File, err)
	default:
		if !isNameOf(doc, row.File) {
			c.warn(row.place, "", "%s is not named as the store would name it", row.File)
		}
		if err := c.opt.CheckBody(doc.Body); err != nil {
			c.fault(c.relPath(row.File), remedyRepair+" puts it aside; `handoff show ID | handoff write -` stores its record with the view that it should have", "%s", oneLine(err))
		}
		c.checkRowEvents(row, &doc)
	}
}

func isNameOf(doc Document, file string) bool {
	for n := range maxNames {
		if document.FileName(doc, n+1) == file {
			return true
		}
	}
	return false
}

// checkNames looks at every name in the handoffs directory.
func (c *check) checkNames() error {
	names, err := c.dir.Names(func(string) bool { return true })
	if err != nil {
		return err
	}
	listed := make(map[string]bool, len(c.rows))
	for _, row := range c.rows {
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
		case durable.IsStaged(name, isReplaced):
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

func (c *check) checkName(name string) {
	entry, err := c.dir.Lstat(name)
	isState := c.state != nil && sameDir(c.dir, name, c.state)
	switch {
	case err != nil || isState:
	case name == lockName:
		c.checkLock(entry)
	case name == index.Name:
		c.checkOwnFile(c.dir, name, entry)
	case index.IsArchiveName(name):
		c.checkOwnFile(c.dir, name, entry)
		if !slices.Contains(index.Archives(string(c.indexes[0].text)), name) && !publishes(c.intent, name) && !c.hidesRows() {
			c.checkUnlinked(name)
		}
	case !entry.Regular && name != journal.IntentName:
		c.warn(name, "", "is not a regular file and no part of the store")
	}
}

// checkUnlinked looks again: the archive may have been linked since the snapshot.
func (c *check) checkUnlinked(name string) {
	text, err := readIndex(c.dir, index.Name)
	if err == nil && !slices.Contains(index.Archives(string(text)), name) {
		c.warn(name, remedyRepair, "is not linked from %s", index.Name)
	}
}

func sameDir(parent *durable.Dir, name string, d *durable.Dir) bool {
	entry, err := parent.Lstat(name)
	inner, innerErr := d.Lstat(".")
	return err == nil && innerErr == nil && entry.Inode == inner.Inode && entry.Inode != 0
}

// checkOrphans reports stored files that no row lists. The files of a change that began after the
// snapshot are in its intent for as long as they are in no row.
func (c *check) checkOrphans(names []string) error {
	if len(names) == 0 || c.hidesRows() {
		return nil
	}
	now := newCheck(c.Store)
	now.dir, now.state = c.dir, c.state
	if err := now.readSnapshot(); err != nil {
		return err
	}
	now.readIndexes()
	listed := make(map[string]bool, len(now.rows))
	for _, row := range now.rows {
		listed[row.File] = true
	}
	for _, name := range names {
		_, err := c.dir.Lstat(name)
		if listed[name] || publishes(now.intent, name) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.fault(c.relPath(name), remedyRepair, "is not listed in the index")
	}
	return nil
}
