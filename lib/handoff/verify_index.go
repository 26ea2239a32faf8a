package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

const remedyRepair = "handoff doctor --repair"

// readIndexes reads the rows of all index files and reports every line that should not be there.
func (c *check) readIndexes() error {
	return eachIndex(c.dir, func(name string, text []byte) error {
		switch {
		case name == index.Name && len(text) == 0:
			if has, err := hasHandoffs(c.dir); err != nil || has {
				c.fault(name, "handoff doctor --rebuild-index", "is missing or empty, although there are handoffs")
			}
		case text == nil:
			c.fault(name, "handoff doctor --rebuild-index", "is linked from %s, but does not exist", index.Name)
		}
		for l := range index.Lines(string(text)) {
			c.line(name, l)
		}
		return nil
	})
}

func (c *check) line(name string, l index.Line) {
	place := fmt.Sprintf("%s:%d", name, l.Number)
	switch {
	case l.IsRow:
		c.addRow(place, l)
	case strings.Contains(l.Text, "sha256:") && strings.Contains(l.Text, "|"):
		c.fault(place, remedyRepair, "looks like a row, but is none: %q", l.Text)
	case !l.IsFurniture():
		c.warn(place, "", "is not part of the table and is ignored: %q", l.Text)
	}
}

func (c *check) addRow(place string, l index.Line) {
	if strings.Trim(l.Text, " \t\r") != l.Text {
		c.warn(place, remedyRepair, "has spaces around the row")
	}
	first, again := c.rows[l.Row.ID]
	if !again {
		c.rows[l.Row.ID] = &listedRow{Row: l.Row, place: place}
		c.order = append(c.order, l.Row.ID)
		return
	}
	if first.File != l.Row.File || first.From != l.Row.From || first.To != l.Row.To || first.Topic != l.Row.Topic || first.Time != l.Row.Time {
		c.fault(place, remedyRepair, "lists %s again, otherwise than %s", l.Row.ID, first.place)
		return
	}
	c.warn(place, remedyRepair, "lists %s again, as %s does", l.Row.ID, first.place)
	for _, m := range l.Row.Marks() {
		first.Row = first.WithMark(m)
	}
}

// readNames looks at every name in the handoffs directory.
func (c *check) readNames() error {
	names, err := c.dir.Names(func(string) bool { return true })
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case index.IsFile(name):
			c.files[name] = false
		case durable.IsStaged(name):
			c.warn(name, "any writing command after an interruption, or "+remedyRepair, "was left by an interrupted command")
		case name == journal.IntentName:
			c.checkIntent()
		case index.IsArchiveName(name):
			c.checkArchive(name)
		}
	}
	return nil
}

func (c *check) checkIntent() {
	x := session{Store: c.Store, dir: c.dir}
	if _, err := x.readIntent(); err != nil {
		c.fault(journal.IntentName, remedyRepair, "cannot be used: %v", err)
		return
	}
	c.warn(journal.IntentName, "any writing command", "a change is under way or was interrupted; the next writing command completes it or takes it back")
}

func (c *check) checkArchive(name string) {
	text, err := readIndex(c.dir, index.Name)
	if err == nil && !slices.Contains(index.Archives(string(text)), name) {
		c.warn(name, remedyRepair, "is not linked from %s", index.Name)
	}
}

// checkDocuments reads the documents of the ids and holds them against their rows.
func (c *check) checkDocuments(ctx context.Context, ids []string) {
	each(len(ids), 2*runtime.GOMAXPROCS(0), func(i int) {
		if ctx.Err() == nil {
			c.checkDocument(c.rows[ids[i]])
		}
	})
	c.report.Handoffs = len(ids)
	for _, id := range ids {
		if row := c.rows[id]; row != nil {
			c.files[row.File] = true
		}
	}
}

func (c *check) checkDocument(row *listedRow) {
	doc, _, err := c.load(c.dir, Entry{row.Row})
	if err != nil {
		corrupt := (*CorruptError)(nil)
		if errors.As(err, &corrupt) {
			c.fault(row.place, remedyRepair, "%s", corrupt.Error())
		} else {
			c.fault(row.place, "", "%s cannot be read: %v", row.File, err)
		}
		return
	}
	row.doc = &doc
	if !isNameOf(doc, row.File) {
		c.warn(row.place, "", "%s is not named as the store would name it", row.File)
	}
}

func isNameOf(doc Document, file string) bool {
	for n := 1; n <= maxNames; n++ {
		if document.FileName(doc, n) == file {
			return true
		}
	}
	return false
}

// checkOrphans reports stored files that no row lists.
func (c *check) checkOrphans() {
	for name, isListed := range c.files {
		if isListed {
			continue
		}
		if _, err := c.dir.ReadFile(name, maxStored); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.fault(c.relPath(name), remedyRepair, "is not listed in the index")
	}
}
