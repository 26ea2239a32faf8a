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
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A change is what one command does to the store: a record, and the events that it logs.
type change struct {
	journal.Record
	events []eventlog.Pending
	more   iter.Seq[eventlog.Pending] // that follow; nil for none. Those of a large batch would fill memory
	spool  *journal.Spool             // has what is large; nil for none
	begins bool                       // the log may begin with this change although there are rows
}

// ErrUnrecorded is wrapped by the error of a change that is made, and that the files of the store do not show
// yet: the next command that writes sees to that.
var ErrUnrecorded = errors.New("not carried out yet")

// commit makes a change. What can fail for want of room comes first; then the record is written and synced,
// which makes the change; then the files follow, without a sync of their own.
func (x *Session) commit(c *change) error {
	if x.j.IsFull() {
		if err := x.checkpoint(x.index, x.index); err != nil {
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
		return fault.New(nil, fault.Then(err, "run the same command again"), "not known to be published: %v", err)
	}
	x.SetNewest(c.Number)
	isArchive := func(f journal.File) bool { return f.Place == journal.Handoffs && disk.IsArchive(f.File) }
	x.sealed = x.sealed || slices.ContainsFunc(c.New, isArchive) || slices.ContainsFunc(c.Put, isArchive)
	x.extra, x.state = nil, state
	if err := x.apply(&c.Record, p); err != nil {
		return unrecorded(err)
	}
	x.index = text
	if p.edited { // somebody saved INDEX.md between our look and the exchange
		err = x.Recover()
	} else if x.isLarge(&c.Record) {
		*c = change{} // as do its texts
		err = x.checkpoint(x.index, x.index)
	}
	if err != nil {
		return unrecorded(err)
	}
	return nil
}

func unrecorded(err error) error {
	return &fault.Error{Problem: fmt.Sprintf("it is stored, but not all files of the store show it yet: %v", err),
		Advice: fault.Then(err, "run any writing command to complete it"), Cause: errors.Join(ErrUnrecorded, err)}
}

// large is how much of a record readers do not have to read: behind it the journal is begun anew.
const large = 4 << 20

func (x *Session) isLarge(r *journal.Record) bool {
	size := int64(len(r.LogText) + len(r.LedgerText) + len(r.Table))
	for _, list := range [][]journal.File{r.New, r.Put} {
		for _, f := range list {
			size += f.Len()
		}
	}
	return size > large
}

// link turns the events of a change into the lines that continue the chain. Informing lines that were
// appended since the last record become part of this one.
func (x *Session) link(c *change) error {
	prev, err := x.head(c.begins)
	if err != nil {
		return err
	}
	c.LogText = slices.Clone(x.extra)
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
	c.events, c.more = nil, nil // of a large change they hold much memory
	return nil
}

// head returns the hash that the next event names. A log that is empty while there are rows is refused
// unless begin allows it: a new chain would hide that the old one is gone.
func (x *Session) head(begin bool) (string, error) {
	prev := hashText(x.j.Last().LogHead)
	if last := lastLine(x.extra); last != nil {
		var err error
		if prev, err = x.hashLast(last); err != nil {
			return "", err
		}
	}
	if prev == eventlog.Genesis && !begin {
		return prev, x.MayBegin()
	}
	return prev, nil
}

func hashText(h journal.Hash) string {
	if h == (journal.Hash{}) {
		return eventlog.Genesis
	}
	return h.String()
}

// Prepared are the files of a change before it is made.
type prepared struct {
	table  *disk.Prepared // nil if INDEX.md stays as it is
	bodies []*disk.Staged // the new files, if they are few
	edited bool           // INDEX.md was saved by somebody meanwhile

	log, ledger *disk.Log // with room for what they get; nil where that is nothing
}

// fewBodies is how many new files are made before the record, so that a full disk is found in time; of many
// the spool has taken as much room.
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

// reserve opens a file that only grows and makes sure of so much room, if there is to be any.
func (x *Session) reserve(name string, size int) (*disk.Log, error) {
	if size == 0 {
		return nil, nil
	}
	log, err := x.openGrowing(name)
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

// apply brings the files in line with a record that is made: bodies first, so that no row is without one, and
// the log last: where its lines stand, all else was done.
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
		if err := x.exchangeIndex(p); err != nil {
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

func (x *Session) openGrowing(name string) (*disk.Log, error) {
	log, err := x.State.OpenLog(name, true)
	return log, store.Odd(filepath.Join(x.State.Path(), name), err)
}

// swapName is where the text lies that is to take the place of INDEX.md, and then what INDEX.md was.
const swapName = ".INDEX.md.swap"

// exchangeIndex lets the new text of INDEX.md take its place, and looks at what came out: what somebody
// saved since INDEX.md was read stays there.
func (x *Session) exchangeIndex(p *prepared) error {
	if _, err := x.Dir.Lstat(disk.IndexFile); errors.Is(err, fs.ErrNotExist) {
		return p.table.Place(disk.IndexFile)
	}
	if err := p.table.Place(swapName); err != nil {
		return err
	}
	if err := x.Dir.Exchange(swapName, disk.IndexFile); err != nil {
		return err
	}
	old, same, err := store.StillReads(x.Dir, swapName, x.index)
	if old != nil { // to give the blocks of a file back may take as long as a sync: that is for after the lock
		x.AfterEnd(func() { old.Close() })
	}
	if err != nil || !same {
		p.edited = !same
		return err
	}
	return x.Dir.Remove(swapName)
}

// dirOf opens the directory of a file, and makes that of signatures where it is missing. done closes it.
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

// makeFile makes a file that is not there, of what was staged or else of its text. Something else of its
// name goes aside: the record is made, and names are chosen so that there is nothing.
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
	if err := x.moveAside(d, f.File); err != nil {
		return err
	}
	return staged.Link(f.File)
}

// moveAside gives what lies in the way of a file of the store another name.
func (x *Session) moveAside(d *disk.Dir, name string) error {
	aside := disk.Quarantine + x.Opt.Now().UTC().Format("20060102T150405.000000000Z") + "-" + name
	x.Opt.Warn(name + " was in the way, and is called " + aside + " now")
	return d.Rename(name, aside)
}

// keepAside is moveAside for a file that is replaced at once: it has both names until then, so that a kill in between
// leaves the name to something.
func (x *Session) keepAside(d *disk.Dir, name string) error {
	aside := disk.Quarantine + x.Opt.Now().UTC().Format("20060102T150405.000000000Z") + "-" + name
	if err := d.Link(name, aside); err != nil {
		return x.moveAside(d, name)
	}
	x.Opt.Warn(name + " was in the way, and is called " + aside + " now")
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
	like := f.File
	if _, err := d.Lstat(like); errors.Is(err, fs.ErrNotExist) && disk.IsArchive(like) {
		like = disk.IndexFile
	} else if f.Place == journal.State {
		return x.put(d, f.Name, text)
	}
	p, err := d.Prepare(like, text, modeOf(f.Name))
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place(f.File)
}

// put replaces a file. The record of the machine is looked at before anything is recovered: it is replaced durably.
func (x *Session) put(d *disk.Dir, n journal.Name, text []byte) error {
	if n.Place != journal.State || n.File != disk.FingerprintFile {
		return d.Put(n.File, text, modeOf(n))
	}
	if err := d.Replace(n.File, text, modeOf(n)); err != nil {
		return err
	}
	return d.Sync()
}

// removeFile removes a file that holds what it should. What somebody else has put there stays.
func (x *Session) removeFile(g journal.Gone) error {
	d, done, err := x.dirOf(g.Name)
	if err != nil {
		return err
	}
	defer done()
	isSame, err := holds(d, g.File, g.SHA256)
	if err != nil || !isSame {
		return err
	}
	return d.Remove(g.File)
}

// holds reports whether a file holds the text of a hash. A file that is not there does not, nor does
// something that is no file.
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
	for line := range lines(text) {
		head = head.NextLine(line)
	}
	return head
}

// Reindex replaces an index file that reads old, and records events about it. The log may begin with them.
func (x *Session) Reindex(name string, text []byte, events []eventlog.Pending) error {
	c := &change{Record: journal.Record{Op: "repair"}, events: events, begins: true}
	x.setIndex(c, name, text)
	if err := x.dropUnlisted(c); err != nil {
		return err
	}
	return x.commit(c)
}

// dropUnlisted lets those handoffs go that the journal has and the new table does not list: a repair has put
// them aside.
func (x *Session) dropUnlisted(c *change) error {
	if c.Table == nil {
		return nil
	}
	story, err := x.j.Story()
	if err != nil {
		return err
	}
	files, listed := story.Files(), story.Files()
	journal.DropUnlisted(listed, c.Table)
	for name, text := range files {
		if text != nil && listed[name] == nil {
			c.Gone = append(c.Gone, journal.Gone{Name: name, SHA256: text.SHA256})
		}
	}
	return nil
}

// setIndex gives an index file another text in a change.
func (x *Session) setIndex(c *change, name string, text []byte) {
	if name == disk.IndexFile {
		c.Table = text
		return
	}
	c.Put = append(c.Put, journal.File{Name: journal.Name{Place: journal.Handoffs, File: name}, Text: journal.NewText(text)})
}

// mark gives a row of an index file other marks in a change.
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
