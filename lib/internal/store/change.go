package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// A Change is one change of the store, under its lock. Its view is of what was before.
type Change struct {
	facts.View
	store      *Store
	dir, state *disk.Dir
	file       *os.File
	log        *log.Log
	pin        pin
	isPinless  bool   // the pin does not count: the log was cut before it
	git        string // the stamp of git's index, before git was asked
	since      int64  // the point of the snapshot

	events  []log.Pending
	links   []link
	names   map[string]bool   // those that documents get
	planned map[string]string // the same names, by id
	isSync  bool              // a file that had its name before must be durable
	removed []string          // the files that go after the change
}

// A link is a staged body and the name that it gets.
type link struct{ temp, name string }

// Change makes one change: do plans it, by adding events, and all of it is stored or nothing. If it adds none, nothing
// is stored. It returns after the events are on the disk. Errors that are not of do are fault.ErrBusy (the lock),
// fault.ErrIntegrity (the machine, the log), fault.ErrConfig (a directory), or of the system.
func (s *Store) Change(ctx context.Context, do func(*Change) error) error {
	if !IsThere(s.Opt.StateDir) { // nothing is made for what is refused
		if err := s.CheckLost(); err != nil && !IsThere(s.Opt.StateDir) {
			return err
		}
	}
	return s.locked(ctx, func(c *Change) error {
		if err := c.open(); err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
		before := c.At
		changed, err := c.commit()
		if err == nil {
			c.follow(before, changed)
		}
		return err
	})
}

func (s *Store) newChange() *Change {
	return &Change{store: s, names: map[string]bool{}, planned: map[string]string{}}
}

// locked calls do under the lock, with open directories.
func (s *Store) locked(ctx context.Context, do func(*Change) error) error {
	if err := s.checkKind(); err != nil {
		return err
	}
	c := s.newChange()
	defer c.close()
	if err := c.make(); err != nil {
		return err
	}
	unlock, err := c.dir.Lock(ctx, disk.LockFile, s.Opt.LockTimeout)
	if err != nil {
		return err
	}
	defer unlock()
	return do(c)
}

// Add adds an event to the change.
func (c *Change) Add(kind string, p log.Payload) {
	c.events = append(c.events, log.Pending{Type: kind, Payload: p})
}

// make opens both directories, and makes those that are missing.
func (c *Change) make() (err error) {
	if c.dir, err = c.store.make(c.store.Opt.Dir); err == nil {
		c.state, err = c.store.make(c.store.Opt.StateDir)
	}
	return err
}

// check compares the machine, and refuses a state that git tracks.
func (c *Change) check() error {
	s := c.store
	if err := s.compareMachine(c.state); err != nil {
		return err
	}
	if !c.isPinless {
		c.pin = s.readPin()
	}
	c.git = s.gitStamp() // before git is asked
	return s.checkUntracked(c.pin.git)
}

// open reads the store under the lock, and completes what a killed command left.
func (c *Change) open() error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.openLog(); err != nil {
		return err
	}
	f, since, damage, err := c.store.fold(c.file, c.log.Size(), false)
	if err = errors.Join(damage, err); err != nil {
		return err
	}
	c.View, c.since = c.store.View(f), since
	return c.adopt()
}

// openLog opens the log, and makes it if it is missing. As long as it has no change, the record of the machine and all
// directories become durable first: before any document gets its name.
func (c *Change) openLog() (err error) {
	if _, err := c.state.Stat(log.FileName); errors.Is(err, fs.ErrNotExist) {
		if err = c.store.CheckLost(); err == nil {
			err = c.forgetPin()
		}
		if err != nil {
			return err
		}
	}
	if c.file, err = c.state.OpenLog(log.FileName); err != nil {
		return err
	}
	c.state.Adjust(log.FileName)
	if c.log, err = log.Open(c.file, c.pin.at, c.keepTorn); err != nil || c.log.Head() != log.Start {
		return err
	}
	if _, err := c.state.Stat(disk.FingerprintFile); errors.Is(err, fs.ErrNotExist) {
		if err := c.state.Replace(disk.FingerprintFile, c.store.newMachine().Bytes(), 0, true); err != nil {
			return err
		}
	}
	return c.settle()
}

// settle makes both directories durable, with what hides them from git.
func (c *Change) settle() error {
	if err := c.store.hide(c.dir, c.state); err != nil {
		return err
	}
	root, err := Resolve(c.store.Opt.Root)
	if err == nil {
		err = c.state.Sync()
	}
	for _, d := range []*disk.Dir{c.state, c.dir} {
		if err == nil {
			err = disk.SyncParents(d.Path(), root)
		}
	}
	return err
}

// CheckLost is for a store without a log. It returns fault.ErrIntegrity if documents show that there was one, unless
// git may have brought them. It makes nothing.
func (s *Store) CheckLost() error {
	dir, err := s.open(s.Opt.Dir)
	if err != nil || dir == nil || s.Opt.Git == disk.GitTracked {
		return err
	}
	defer dir.Close()
	names, err := dir.Names(IsDocument)
	for _, name := range names {
		if _, _, bad := s.readDocument(dir, name); bad == nil {
			hint := "run `handoff verify --repair`, which begins a new log with the documents"
			if _, tracked, err := s.Tracked(s.Opt.Dir); err == nil && len(tracked) > 0 {
				hint = "run `handoff init --git tracked`: git has the handoffs"
			}
			return fault.Integrity(hint, "the log %s is missing, but there are handoffs",
				filepath.Join(s.Opt.StateDir, log.FileName))
		}
	}
	return err
}

const logIsGone = "the log that you left here is gone, and so are its handoffs: " +
	"`handoff sync` brings back what was sent"

// forgetPin removes a pin, which is of a log that is gone.
func (c *Change) forgetPin() error {
	if c.pin.at.Offset == 0 {
		return nil
	}
	c.store.warnOnce(logIsGone)
	c.pin = pin{}
	return c.store.writeOwn(pinFile, nil, false)
}

// keepTorn keeps what is cut off from the log.
func (c *Change) keepTorn(torn []byte) error {
	kept, err := c.store.kept()
	if err != nil {
		return err
	}
	defer kept.Close()
	return kept.Replace("log-"+c.store.stamp()+".torn", torn, 0, false)
}

// stamp is what the names of kept files have.
func (s *Store) stamp() string { return s.Opt.Now().UTC().Format("20060102T150405.000000") }

// kept makes and opens the directory of what was cut off or moved aside.
func (s *Store) kept() (*disk.Dir, error) { return s.make(filepath.Join(s.Opt.StateDir, disk.Kept)) }

func (c *Change) addBegin() error {
	record, err := ReadMachine(c.state)
	c.Add(log.Begin, log.Payload{Fingerprint: record.Fingerprint, Writer: record.Writer, Also: record.Also})
	return err
}

// adopt plans the events of documents that git has brought.
func (c *Change) adopt() error {
	if c.At == log.Start {
		if err := c.addBegin(); err != nil {
			return err
		}
	}
	if c.store.Opt.Git != disk.GitTracked {
		return nil
	}
	names, gone, err := unnamed(c.dir, c.Facts)
	if err != nil {
		return err
	}
	for _, d := range c.store.unlogged(c.dir, c.View, names, gone, true) {
		c.isSync = true
		c.addDocument(log.Import, d)
	}
	return nil
}

// isPlanned reports whether do has planned anything: what began the store does not count.
func (c *Change) isPlanned() bool {
	return len(c.events) > 1 || len(c.events) == 1 && c.events[0].Type != log.Begin
}

// commit stores the change, and returns the handoffs that it is about, in the order of their arrival.
func (c *Change) commit() (changed []*facts.Handoff, err error) {
	if !c.isPlanned() {
		return nil, nil
	}
	if c.Facts.Rules == nil { // the first sight of them counts
		if now := c.store.Rules(); now.Broken == nil {
			c.trust(now)
		}
	}
	if err := c.link(); err != nil {
		return nil, err
	}
	made, err := c.log.Append(c.store.Opt.Now(), c.events)
	if err != nil {
		return nil, err
	}
	c.Facts.Add(made)
	c.Facts.Count += len(made)
	c.At = c.log.Head()
	seen := map[string]bool{}
	for _, e := range made {
		if e.Type == log.Trust || e.Type == log.Repair { // it may change what any event means
			return c.All(), nil
		}
		if h := c.Of(e.Payload.ID); h != nil && !seen[h.ID] {
			seen[h.ID], changed = true, append(changed, h)
		}
	}
	slices.SortFunc(changed, func(a, b *facts.Handoff) int { return a.Order - b.Order })
	return changed, nil
}

// link gives the documents their names, durably. If one fails, none keeps its name.
func (c *Change) link() error {
	for i, l := range c.links {
		if err := c.dir.Publish(l.temp, l.name); err != nil {
			for _, done := range c.links[:i] {
				_ = c.dir.Remove(done.name)
			}
			return fmt.Errorf("cannot name %s: %w", c.store.RelPath(l.name), err)
		}
	}
	if len(c.links) == 0 && !c.isSync {
		return nil
	}
	c.links = nil
	return c.dir.Sync()
}

// follow brings up to date what follows from the log. It syncs nothing, and its errors are ignored: the next change, or
// reading the log, makes up for it.
func (c *Change) follow(before log.Point, changed []*facts.Handoff) {
	s := c.store
	c.View = s.View(c.Facts)
	if c.At != before || !index.IsCurrent(c.dir, c.View) {
		_ = index.Update(c.dir, c.View, before, changed, s.Opt.IndexMaxRows)
	}
	s.keep(pin{c.log.Head(), c.git}, c.pin, c.View, c.since)
	for _, name := range c.removed {
		_ = c.dir.Remove(name) // a repair removes what is left
	}
}

// close closes what is open.
func (c *Change) close() {
	if c.file != nil {
		c.file.Close()
	}
	for _, d := range []*disk.Dir{c.state, c.dir} {
		if d != nil {
			d.Close()
		}
	}
}
