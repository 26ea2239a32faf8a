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

// A choice is the file name that a document gets, or has.
type choice struct {
	file   string
	adopt  bool // the file is there with the right content, but no row lists it
	listed bool // the file is there and a row lists it
}

// A chooser finds names under the lock. It remembers those that it gave to other documents of the batch.
type chooser struct {
	*Session
	text  []byte                // INDEX.md
	lines map[string]index.Line // its rows by id, for a batch; nil searches text
	given map[string]string     // file → id
	gone  map[string]bool       // the ids of what was pruned, once they were asked for
	old   map[string]bool       // the ids of the archives, for a batch that asked for one
	log   *eventlog.Reading     // what the audit log says, once a file was adopted
}

// newChooser prepares finding the rows of so many documents in the text of INDEX.md: a few are looked for
// one by one, for many the table is read once.
func newChooser(x *Session, text []byte, docs int) *chooser {
	c := &chooser{Session: x, text: text, given: make(map[string]string)}
	if docs <= fewIDs {
		return c
	}
	c.lines = make(map[string]index.Line)
	for l := range index.Lines(string(text)) {
		if _, known := c.lines[l.Row.ID]; l.IsRow && !known {
			c.lines[l.Row.ID] = l
		}
	}
	return c
}

// find returns the row of an id in INDEX.md; archives are not looked at.
func (c *chooser) find(id string) (index.Line, bool) {
	if c.lines == nil {
		return index.Find(c.text, id)
	}
	l, ok := c.lines[id]
	return l, ok
}

// choose decides by name: the same id always has the same base name, or that of the other kind of
// store, which this one was before, so only the files of these names can hold it. Only if none does is
// INDEX.md searched, since then a row for the id has lost its file.
func (c *chooser) choose(d Publication) (choice, error) {
	withID := c.Opt.Git.IsShared()
	found, free, err := c.look(d, withID)
	if err == nil && found.file == "" {
		found, _, err = c.look(d, !withID)
	}
	if err == nil && !found.listed {
		err = c.checkPruned(d)
	}
	if err != nil || found.file != "" {
		return found, err
	}
	if free == "" {
		return choice{}, fault.New(fault.ErrConfig, "change topic or ts_utc", "%s%s and its %d numbered names are all taken by other handoffs",
			store.Prefixed(d.Name), document.FileName(*d.Document, 1, withID), MaxNames-1)
	}
	return c.fresh(free, d)
}

// checkPruned refuses a document that was pruned, unless it is to be restored.
func (c *chooser) checkPruned(d Publication) error {
	if c.gone == nil {
		text, err := ReadTombstones(c.State)
		if err != nil {
			return err
		}
		c.gone = Tombstoned(text)
	}
	if !c.gone[d.HandoffID] || c.Opt.Restore || d.Restore {
		return nil
	}
	if l, listed := c.find(d.HandoffID); listed { // it was restored, and is lost since
		return &fault.CorruptError{File: c.Path(disk.IndexFile), Line: l.Number, Why: "lists " + d.HandoffID + ", but its file is gone"}
	}
	return &PrunedError{d.Name, d.HandoffID}
}

// look goes through the names of one kind. It returns the file that holds d, or the first name that is free.
func (c *chooser) look(d Publication, withID bool) (found choice, free string, err error) {
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

// fresh gives a free name, unless a row says that the document was stored before.
func (c *chooser) fresh(name string, d Publication) (choice, error) {
	if l, ok := c.find(d.HandoffID); ok {
		same, err := c.holds(l.Row.File, d)
		if err != nil && fault.Class(err) == nil && !errors.Is(err, fs.ErrNotExist) || same {
			return choice{file: l.Row.File, listed: same}, err
		}
		if mended, err := c.mendListed(l.Row.File); err != nil || mended {
			return choice{file: l.Row.File, listed: mended}, err
		}
		return choice{}, &fault.CorruptError{File: c.Path(disk.IndexFile), Line: l.Number,
			Why: "lists " + d.HandoffID + " as " + l.Row.File + ", but that file is gone or holds another handoff"}
	}
	c.given[name] = d.HandoffID
	return choice{file: name}, nil
}

// holds reports whether the file name is the stored form of d. A file that claims the id of d and has
// other content is a fault.
func (c *chooser) holds(name string, d Publication) (bool, error) {
	text, err := c.Dir.ReadFile(name, disk.MaxDocument)
	if errors.Is(err, disk.ErrTooLarge) {
		return false, nil // as below
	}
	if err != nil {
		return false, store.Odd(c.Path(name), err)
	}
	if jsontree.SHA256Hex(text) == d.sum {
		return true, nil
	}
	stored, err := store.ParseStored(c.Path(name), text)
	if err != nil {
		return false, nil // no handoff: its name is taken, and verify reports it
	}
	id, err := document.ID(stored)
	if err != nil {
		return false, err
	}
	if id != d.HandoffID && stored.HandoffID == d.HandoffID {
		return false, &fault.CorruptError{File: c.Path(name), Why: "was changed after it was written: it claims " + stored.HandoffID + ", but its content has the id " + id}
	}
	return id == d.HandoffID, nil
}

// isListed reports whether a document that is stored as file has its row, in INDEX.md or an archive. A row
// with another file is a fault: one id has one document.
func (c *chooser) isListed(id, file string) (bool, error) {
	if l, ok := c.find(id); ok {
		if l.Row.File != file {
			return false, &fault.CorruptError{File: c.Path(disk.IndexFile), Line: l.Number, Why: "lists " + id + " as " + l.Row.File + ", but it is stored as " + file}
		}
		return true, nil
	}
	if c.lines == nil {
		return c.inArchives(id)
	}
	if c.old == nil {
		c.old = make(map[string]bool)
		err := store.EachIndex(c.Dir, func(name string, text []byte) error {
			for l := range index.Lines(string(text)) {
				if l.IsRow && name != disk.IndexFile {
					c.old[l.Row.ID] = true
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

// recorded returns the row of a file that is adopted with the marks that the audit log records, and
// whether the log has its write event: the row was lost then, and the event is not.
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
	if known.Aside { // what was said of it before is over
		return row, false, nil
	}
	for _, m := range known.Marks() {
		row = row.WithMark(m)
	}
	return row, known.IsWritten() && !known.Superseded, nil
}
