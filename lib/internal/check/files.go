package check

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
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

// checkDocument verifies the document of a row: that it exists, agrees with the row and the log, and that its record
// and its signature are valid.
func (c *check) checkDocument(row *Row) {
	text, err := c.Dir.ReadFile(row.File, disk.MaxDocument)
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
	case err != nil:
		c.fault(row.Place(), "", "%s cannot be read: %v", row.File, err)
	default:
		c.checkSignature(row, text)
		c.checkRowEvents(row, &doc)
	}
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
		case name == disk.Lock:
			c.checkLock()
		}
	}
}

// remedyStaged removes an unfinished file.
const remedyStaged = remedyWrite + " after an interruption, or " + remedyRepair

// checkLock checks the lock file as a writing command does.
func (c *check) checkLock() {
	if file, err := c.Dir.Lstat(disk.Lock); err == nil && !file.Regular {
		path := store.ShellQuote(filepath.Join(c.Dir.Path(), disk.Lock))
		c.fault(disk.Lock, "mv "+path+" "+path+".odd", "is not a regular file, and writing commands refuse")
	}
}
