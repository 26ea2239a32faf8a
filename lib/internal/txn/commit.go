package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A change is the effect of one command on the store: a record and the events that it logs.
type change struct {
	journal.Record
	events []eventlog.Pending
	more   iter.Seq[eventlog.Pending] // further events; optional. It saves memory in a large batch
	spool  *journal.Spool             // holds large texts; optional
	begins bool                       // the log may begin with this change even if there are rows
}

// ErrUnrecorded is wrapped by the error of a change that is made, but that the files do not show yet. The
// next command that writes completes it.
var ErrUnrecorded = errors.New("not carried out yet")

// commit makes a change. It first does what can fail if the disk is full. Then it writes and syncs the
// record, which makes the change. Then it updates the files, without syncing them.
func (x *Session) commit(c *change) error {
	if x.j.IsFull() {
		if err := x.checkpoint(x.index); err != nil {
			return err
		}
	}
	if err := x.link(c); err != nil {
		return err
	}
	text := c.Carry(x.index)
	var err error
	if c.Commit, err = x.CheckedOut(); err != nil {
		return err
	}
	c.Index, c.Boot = journal.HashOf(text), x.boot
	state := maps.Clone(x.state)
	for _, f := range c.Put {
		if f.Place == journal.State {
			state[f.File] = f.SHA256
		}
	}
	c.State = journal.SumState(state)
	p, err := x.prepare(c, text)
	defer p.discard()
	if err == nil {
		err = x.stillLocked()
	}
	if err != nil {
		return err
	}
	if err := x.j.Append(&c.Record, c.spool); err != nil {
		return fault.New(nil, fault.Then(err, "repeat the command"), "storing is uncertain: %v", err)
	}
	x.SetNewest(c.Number)
	x.extra, x.prev, x.state, x.ledger = nil, store.HeadOf(&c.Head).Hash, state, nil
	if err := x.apply(&c.Record, p); err != nil {
		return unrecorded(err)
	}
	x.index = text
	if x.isLarge(&c.Record) {
		if err := x.checkpoint(x.index); err != nil {
			return unrecorded(err)
		}
	}
	return nil
}

func unrecorded(err error) error {
	return &fault.Error{Problem: fmt.Sprintf("it is stored, but some files do not show it yet: %v", err),
		Advice: fault.Then(err, "run any writing command to complete it"), Cause: errors.Join(ErrUnrecorded, err)}
}

// largeRecord is the size of a record after which the journal starts over, so that readers need not read the
// record.
const largeRecord = 4 << 20

// largeEvent is the size of an event of a new handoff that few exceed. A large change then has room for its events at
// once: growing would need them twice.
const largeEvent = 800

func (x *Session) isLarge(r *journal.Record) bool {
	size := int64(len(r.LogText) + len(r.LedgerText) + len(r.Table))
	for _, list := range [][]journal.File{r.New, r.Put} {
		for _, f := range list {
			size += f.Len()
		}
	}
	return size > largeRecord
}

// link turns the events of a change into lines that continue the hash chain. It also adds the informing lines
// that were appended since the last record.
func (x *Session) link(c *change) error {
	prev, err := x.prev, error(nil)
	if prev == eventlog.Genesis && !c.begins { // a new chain would hide that the old one is lost
		if err := x.CheckNewLog(); err != nil {
			return err
		}
	}
	c.LogText = append(make([]byte, 0, len(x.extra)+len(c.Added)*largeEvent), x.extra...)
	add := func(e eventlog.Pending) bool {
		var line []byte
		if line, prev, err = eventlog.Link(prev, e.Type, x.Opt.Now(), e.Payload, e.Redacted); err == nil {
			c.LogText = append(c.LogText, line...)
		}
		return err == nil
	}
	slices.Values(c.events)(add)
	if err == nil && c.more != nil {
		c.more(add)
	}
	if err != nil {
		return err
	}
	c.LogHead, c.LedgerHead = journal.ParseHash(prev), chain(x.j.Last().LedgerHead, c.LedgerText)
	c.events, c.more = nil, nil // in a large change they hold much memory
	return nil
}

// A prepared has the files of a change before it is made.
type prepared struct {
	table  *disk.Prepared // nil if INDEX.md stays as it is
	bodies []*disk.Staged // the new files, if they are few

	log, ledger *disk.Log // with reserved space; nil if nothing is appended
}

// fewBodies is the most new files that are staged before the record is written, so that a full disk is found
// in time. More files have their space in the spool already.
const fewBodies = 8

func (x *Session) prepare(c *change, text []byte) (p *prepared, err error) {
	p = &prepared{}
	if !bytes.Equal(text, x.index) {
		if p.table, err = x.Dir.Prepare(disk.IndexFile, text, 0o644); err != nil {
			return p, err
		}
	}
	for _, f := range c.New {
		if len(c.New) > fewBodies || f.Place != journal.Handoffs {
			break
		}
		body, err := x.j.Text(f.Text)
		if err != nil {
			return p, err
		}
		staged, err := x.Dir.BeginStage(body, 0o644)
		if err != nil {
			return p, err
		}
		p.bodies = append(p.bodies, staged)
	}
	if p.log, err = x.reserve(disk.LogFile, len(c.LogText)); err == nil {
		p.ledger, err = x.reserve(disk.Ledger, len(c.LedgerText))
	}
	return p, err
}

// reserve opens a file that only grows, and reserves size bytes in it. If size is 0 it returns nil.
func (x *Session) reserve(name string, size int) (*disk.Log, error) {
	if size == 0 {
		return nil, nil
	}
	log, err := x.OpenGrowing(name)
	if err == nil {
		err = log.Reserve(int64(size))
	}
	return log, err
}

func (p *prepared) discard() {
	if p.table != nil {
		p.table.Discard()
	}
	for _, s := range p.bodies {
		s.Discard()
	}
	for _, log := range []*disk.Log{p.log, p.ledger} {
		if log != nil {
			log.Close()
		}
	}
}

// apply updates the files to a record that is made. Bodies come first, so that each row has one. The log
// comes last: its lines prove that all else was done.
func (x *Session) apply(r *journal.Record, p *prepared) error {
	for i, f := range r.New {
		var staged *disk.Staged
		if i < len(p.bodies) {
			staged = p.bodies[i]
		}
		if err := x.makeFile(f, staged); err != nil {
			return err
		}
	}
	for _, f := range r.Put {
		if err := x.putFile(f); err != nil {
			return err
		}
	}
	if p.table != nil {
		if err := p.table.Place(disk.IndexFile); err != nil {
			return err
		}
	}
	if p.ledger != nil {
		if err := p.ledger.PutAt(r.LedgerText, r.Ledger.Offset); err != nil {
			return err
		}
	}
	for _, g := range r.Gone {
		if err := x.removeFile(g); err != nil {
			return err
		}
	}
	if p.log == nil {
		return nil
	}
	return p.log.PutAt(r.LogText, r.Log.Offset)
}

// OpenGrowing opens the audit log or the ledger, and makes it if it is missing.
func (x *Session) OpenGrowing(name string) (*disk.Log, error) {
	log, err := x.State.OpenLog(name)
	return log, store.AsCorrupt(filepath.Join(x.State.Path(), name), err)
}

// openSized is OpenGrowing, and returns the size of the file.
func (x *Session) openSized(name string) (*disk.Log, int64, error) {
	log, err := x.OpenGrowing(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := log.Stat()
	if err != nil {
		log.Close()
		return nil, 0, err
	}
	return log, info.Size(), nil
}

// dirOf opens the directory of a file. It makes the directory of signatures if it is missing. done closes it.
func (x *Session) dirOf(n journal.Name) (d *disk.Dir, done func(), err error) {
	none := func() {}
	switch n.Place {
	case journal.State:
		return x.State, none, nil
	case journal.Handoffs:
		return x.Dir, none, nil
	}
	d, err = x.Dir.OpenDir(disk.Signatures)
	if errors.Is(err, fs.ErrNotExist) {
		d, err = x.Dir.MakeDir(disk.Signatures, 0o755)
	}
	if err != nil {
		return nil, none, err
	}
	return d, func() { d.Close() }, nil
}

func modeOf(n journal.Name) fs.FileMode {
	if n.Place == journal.State {
		return 0o600
	}
	return 0o644
}

// makeFile creates a file from the staged file, or else from its text. If the name is in use, the other file
// is quarantined: the record is already made, and its names were free.
func (x *Session) makeFile(f journal.File, staged *disk.Staged) error {
	d, done, err := x.dirOf(f.Name)
	if err != nil {
		return err
	}
	defer done()
	if staged == nil {
		text, err := x.j.Text(f.Text)
		if err != nil {
			return err
		}
		if staged, err = d.BeginStage(text, modeOf(f.Name)); err != nil {
			return err
		}
		defer staged.Discard()
	}
	if disk.IsArchive(f.File) {
		if err := staged.TakeMode(disk.IndexFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err = staged.Link(f.File)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if isSame, err := holds(d, f.File, f.SHA256); err != nil || isSame {
		return err
	}
	if err := x.quarantine(d, f.File); err != nil {
		return err
	}
	return staged.Link(f.File)
}

// NameTime returns the present time in the form that names of kept files have.
func (x *Session) NameTime() string { return x.Opt.Now().UTC().Format("20060102T150405.000000000Z") }

// QuarantineName returns the name of a file in quarantine. It shortens a name that is too long, and adds a
// hash of the whole.
func (x *Session) QuarantineName(name string) string {
	const most = 255 // bytes, in every file system
	aside := disk.Quarantine + x.NameTime() + "-" + name
	if len(aside) <= most {
		return aside
	}
	end := "-" + jsontree.SHA256Hex([]byte(name))[:16] + filepath.Ext(name)
	return aside[:most-len(end)] + end
}

// quarantine renames a file whose name the store needs.
func (x *Session) quarantine(d *disk.Dir, name string) error {
	aside := x.QuarantineName(name)
	x.Opt.Warn(name + " was in the way; it is now " + aside)
	return d.Rename(name, aside)
}

// linkQuarantine is quarantine for a file that is replaced at once. The file has both names until then, so
// that a kill in between leaves a file of that name.
func (x *Session) linkQuarantine(d *disk.Dir, name string) error {
	aside := x.QuarantineName(name)
	if err := d.Link(name, aside); err != nil {
		return x.quarantine(d, name)
	}
	x.Opt.Warn(name + " was in the way; it is now " + aside)
	return nil
}

func (x *Session) putFile(f journal.File) error {
	d, done, err := x.dirOf(f.Name)
	if err != nil {
		return err
	}
	defer done()
	text, err := x.j.Text(f.Text)
	if err != nil {
		return err
	}
	return x.put(d, f.Name, text)
}

// put replaces a file. A new archive gets the mode of INDEX.md. It replaces the machine record durably, since that is
// read before recovery.
func (x *Session) put(d *disk.Dir, n journal.Name, text []byte) error {
	if n.Place == journal.State && n.File == disk.FingerprintFile {
		if err := d.Replace(n.File, text, modeOf(n)); err != nil {
			return err
		}
		return d.Sync()
	}
	like := n.File
	if _, err := d.Lstat(like); errors.Is(err, fs.ErrNotExist) && disk.IsArchive(like) {
		like = disk.IndexFile
	}
	p, err := d.Prepare(like, text, modeOf(n))
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place(n.File)
}

// holds reports whether a file holds the text with the hash sum. If the file is missing or not a regular
// file, the answer is no.
func holds(d *disk.Dir, name string, sum journal.Hash) (bool, error) {
	text, err := d.ReadFile(name, disk.MaxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
		return false, nil
	case err != nil:
		return false, err
	}
	return journal.HashOf(text) == sum, nil
}

// chain returns the head of the ledger after more lines.
func chain(head journal.Hash, text []byte) journal.Hash {
	for line := range bytes.Lines(text) {
		head = head.NextLine(line)
	}
	return head
}

// Reindex replaces an index file and records events about it. The log may begin with them.
func (x *Session) Reindex(name string, text []byte, events []eventlog.Pending) error {
	c := &change{Record: journal.Record{Op: "repair"}, events: events, begins: true}
	x.setIndex(c, name, text)
	if err := x.dropUnlisted(c); err != nil {
		return err
	}
	return x.commit(c)
}

// dropUnlisted removes handoffs that the journal has and the new table does not list: a repair has
// quarantined them.
func (x *Session) dropUnlisted(c *change) error {
	if c.Table == nil {
		return nil
	}
	story, err := x.j.Story()
	if err != nil {
		return err
	}
	listed := maps.Clone(story.Files)
	journal.DropUnlisted(listed, c.Table)
	for name, text := range story.Files {
		if text != nil && listed[name] == nil {
			c.Gone = append(c.Gone, journal.Gone{Name: name, SHA256: text.SHA256})
		}
	}
	return nil
}

// setIndex replaces the text of an index file in a change.
func (x *Session) setIndex(c *change, name string, text []byte) {
	if name == disk.IndexFile {
		c.Table = text
		return
	}
	c.Put = append(c.Put, journal.File{Name: journal.Name{Place: journal.Handoffs, File: name},
		Text: journal.NewText(text)})
}

// setRows replaces rows of an index file in a change.
func (x *Session) setRows(c *change, name string, text []byte, rows map[string]index.Row) {
	if name != disk.IndexFile {
		x.setIndex(c, name, index.SetRows(text, rows))
		return
	}
	for _, row := range rows {
		c.Set = append(c.Set, row)
	}
}

// Path returns the path of a file of the handoffs directory, for messages.
func (x *Session) Path(file string) string { return filepath.Join(x.Opt.Dir, file) }
