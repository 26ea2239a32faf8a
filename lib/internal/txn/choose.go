package txn

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const MaxNames = 100 // base.md, base-2.md … base-100.md

// A choice is the file name of a document.
type choice struct {
	file   string
	adopt  bool // the file exists with the right content, but no row lists it
	listed bool // the file exists and a row lists it
}

// A chooser finds file names under the lock. It remembers the names that it gave to other documents of the
// batch.
type chooser struct {
	*Session
	lines map[string]index.Line // the rows of the documents in INDEX.md, by id
	ids   map[string]bool       // of the documents
	given map[string]string     // file → id
	old   map[string]bool       // those ids that are in the archives, nil until needed
	log   *eventlog.Reading     // the audit log, read once a file was adopted
}

// newChooser finds the rows of the documents with the ids in the text of INDEX.md.
func newChooser(x *Session, text []byte, ids map[string]bool) *chooser {
	c := &chooser{Session: x, lines: make(map[string]index.Line), ids: ids, given: make(map[string]string)}
	isNew := func(id []byte) bool { _, known := c.lines[string(id)]; return ids[string(id)] && !known }
	for l := range index.RowsOf(text, isNew) {
		c.lines[l.Row.ID] = l
	}
	return c
}

// choose decides by name. An id always has the same base name, or the base name of the other git mode, which
// the store had before. So only files of these names can hold the document. If none does, choose searches
// INDEX.md: a row of the id then means that the file is lost.
func (c *chooser) choose(d Publication) (choice, error) {
	withID := c.Opt.Git.IsShared()
	found, free, err := c.findName(d, withID)
	if err == nil && found.file == "" {
		found, _, err = c.findName(d, !withID)
	}
	if err != nil || found.file != "" {
		return found, err
	}
	if free == "" {
		return choice{}, fault.Config("change topic or ts_utc",
			"%s%s and its %d numbered names are in use by other handoffs",
			fault.Prefixed(d.Name), document.FileName(*d.Document, 1, withID), MaxNames-1)
	}
	return c.newName(free, d)
}

// findName tries the names of one kind. It returns the file that holds d, or the first name that is free.
func (c *chooser) findName(d Publication, withID bool) (found choice, free string, err error) {
	for n := 1; n <= MaxNames; n++ {
		name := document.FileName(*d.Document, n, withID)
		if id, taken := c.given[name]; taken {
			if id == d.HandoffID {
				return choice{file: name, listed: true}, "", nil
			}
			continue
		}
		same, err := c.holds(name, d)
		if errors.Is(err, fs.ErrNotExist) {
			return choice{}, name, nil
		}
		if err != nil {
			return choice{}, "", err
		}
		if same {
			c.given[name] = d.HandoffID
			listed, err := c.isListed(d.HandoffID, name)
			return choice{file: name, listed: listed, adopt: !listed}, "", err
		}
	}
	return choice{}, "", nil
}

// newName returns a free name, unless a row shows that the document was stored before.
func (c *chooser) newName(name string, d Publication) (choice, error) {
	if l, ok := c.lines[d.HandoffID]; ok {
		same, err := c.holds(l.Row.File, d)
		if err != nil && fault.Class(err) == nil && !errors.Is(err, fs.ErrNotExist) || same {
			return choice{file: l.Row.File, listed: same}, err
		}
		return choice{}, &fault.CorruptError{File: c.Path(disk.IndexFile), Line: l.Number,
			Why: "lists " + d.HandoffID + " as " + l.Row.File + ", but that file is missing or is another handoff"}
	}
	c.given[name] = d.HandoffID
	return choice{file: name}, nil
}

// holds reports whether the file name is the stored form of d. A file that claims the id of d but has other
// content is an error.
func (c *chooser) holds(name string, d Publication) (bool, error) {
	text, err := c.Dir.ReadFile(name, disk.MaxDocument)
	if errors.Is(err, disk.ErrTooLarge) || errors.Is(err, disk.ErrUnsafe) {
		return false, nil // as below; a branch can bring a directory or a link of any name
	}
	if err != nil {
		return false, store.AsCorrupt(c.Path(name), err)
	}
	if jsontree.SHA256Hex(text) == d.sum {
		return true, nil
	}
	stored, err := store.ParseStored(c.Path(name), text)
	if err != nil {
		return false, nil // not a handoff: its name is taken, and verify reports it
	}
	id, err := document.ID(stored)
	if err != nil {
		return false, err
	}
	if id != d.HandoffID && stored.HandoffID == d.HandoffID {
		return false, &fault.CorruptError{File: c.Path(name),
			Why: "was changed after it was stored: it claims " + stored.HandoffID + ", but its content has the id " +
				id}
	}
	return id == d.HandoffID, nil
}

// isListed reports whether INDEX.md or an archive has the row of a stored document. A row with another file
// is an error, since an id has one document.
func (c *chooser) isListed(id, file string) (bool, error) {
	if l, ok := c.lines[id]; ok {
		if l.Row.File != file {
			return false, &fault.CorruptError{File: c.Path(disk.IndexFile), Line: l.Number,
				Why: "lists " + id + " as " + l.Row.File + ", but it is stored as " + file}
		}
		return true, nil
	}
	if c.old == nil {
		c.old = make(map[string]bool)
		err := store.EachIndex(c.Dir, func(name string, text []byte) error {
			if name != disk.IndexFile {
				for _, row := range index.First(text, c.ids) {
					c.old[row.ID] = true
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return c.old[id], nil
}

// recorded returns the row of an adopted file with the marks in the audit log. logged reports whether the log
// has its write event: then only the row was lost.
func (c *chooser) recorded(row index.Row) (index.Row, bool, error) {
	if c.log == nil {
		log, done, err := eventlog.Open(c.State)
		if err != nil {
			return row, false, err
		}
		defer done()
		if c.log, err = eventlog.Read(log); err != nil {
			return row, false, err
		}
	}
	known := c.log.Of(row.ID)
	if known.Aside { // events before the removal do not count
		return row, false, nil
	}
	return row.WithMark(known.Marks()...), known.IsWritten() && !known.Superseded, nil
}
