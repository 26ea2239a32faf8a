package store

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// Dirs are the open directories of a store, and tell at a glance what is there: rows, files, events.
// Either is nil if it did not exist when it was opened. It may be asked while others change the store:
// they record their machine first, then make the directories, then files, rows and events, in this
// order.
type Dirs struct {
	*Store
	Dir, State *disk.Dir
}

// OpenDirs opens both directories.
func (s *Store) OpenDirs() (d Dirs, err error) {
	d.Store = s
	if d.Dir, err = s.OpenPlace(s.Opt.Dir); err == nil {
		d.State, err = s.OpenPlace(s.Opt.StateDir)
	}
	if err != nil {
		d.Close()
	}
	s.watch(d.Dir, d.State)
	return d, err
}

// InState returns what read finds in the state directory of a store, the zero value where there is none.
func InState[T any](s *Store, read func(state *disk.Dir) (T, error)) (found T, err error) {
	state, err := s.watched(s.Opt.StateDir)
	if err != nil || state == nil {
		return found, err
	}
	defer state.Close()
	return read(state)
}

// Close closes what is open of the two.
func (d Dirs) Close() {
	for _, dir := range []*disk.Dir{d.Dir, d.State} {
		if dir != nil {
			dir.Close()
		}
	}
}

// inState calls do with the state directory, which is opened if it was not there before, unless it
// still is not.
func (d Dirs) inState(do func(*disk.Dir) error) error {
	if d.State != nil {
		return do(d.State)
	}
	state, err := d.watched(d.Opt.StateDir)
	if err != nil || state == nil {
		return err
	}
	defer state.Close()
	return do(state)
}

// HasEvents reports whether there is an audit log with something in it.
func (d Dirs) HasEvents() (has bool, err error) {
	err = d.inState(func(state *disk.Dir) error {
		log, err := state.Lstat(disk.LogFile)
		has = err == nil && log.Size > 0
		return passing(err)
	})
	return has, err
}

// HasRows reports whether any index file lists a handoff. There is no archive that never did.
func (d Dirs) HasRows() (bool, error) {
	if d.Dir == nil {
		return false, nil
	}
	text, err := ReadIndex(d.Dir, disk.IndexFile)
	if err != nil || !index.IsEmpty(text) {
		return err == nil, err
	}
	archives, err := d.Dir.Names(disk.IsArchive)
	return len(archives) > 0, err
}

// HasBegun reports whether the store has rows or events.
func (d Dirs) HasBegun() (bool, error) {
	has, err := d.HasEvents()
	if err != nil || has {
		return has, err
	}
	return d.HasRows()
}

// MayBegin is for who has found no event in the log: rows say that there was one.
func (d Dirs) MayBegin() error {
	rows, err := d.HasRows()
	if err == nil && rows {
		err = d.LogMissing()
	}
	return err
}

// LogMissing says that there are handoffs and no events.
func (s *Store) LogMissing() error {
	return fault.New(fault.ErrIntegrity, "run `handoff doctor`; after a clone, `"+s.RegenerateCommand()+"` begins a new log",
		"the audit log %s is missing or empty, although there are handoffs", filepath.Join(s.Opt.StateDir, disk.LogFile))
}

// ErrIndexMissing says that INDEX.md lists nothing, and should.
var ErrIndexMissing = fault.New(fault.ErrIntegrity, "run `handoff doctor --rebuild-index` to make it again from the files and the audit log",
	disk.IndexFile+" is missing or empty, although there are handoffs")

// HasLostIndex is for who has seen an INDEX.md that lists nothing: it is ErrIndexMissing if handoffs
// are there that it should list. Those of a change under way are listed soon. Beside a table of a
// store without any event they were put by hand, and are adopted when they are written.
func (d Dirs) HasLostIndex() error {
	files, err := d.Dir.Names(index.IsFile)
	if err != nil || len(files) == 0 {
		return err
	}
	text, err := ReadIndex(d.Dir, disk.IndexFile)
	if err != nil || !index.ListsNothing(text) {
		return err
	}
	if index.Lacks(string(text)) == "" {
		if begun, err := d.HasEvents(); err != nil || !begun {
			return err
		}
	}
	return ErrIndexMissing
}

var (
	errGone = fault.New(fault.ErrIntegrity, "",
		"the handoffs directory does not exist, although the audit log has events")
	errEmptied = fault.New(fault.ErrIntegrity, "",
		"the handoffs directory is empty, although the audit log has handoffs")
)

// lost says how the handoffs directory is not what it was.
func (s *Store) lost(how error) error {
	advice := "bring it back: its disk, its branch or a backup; " +
		"to begin anew, move " + ShellQuote(s.Opt.StateDir) + " away too"
	return fault.New(fault.ErrIntegrity, advice, "%s: %v", s.Opt.Dir, how)
}

// Prover opens the handoffs directory, nil if it does not exist, for commands that say whether all is
// there: the error is errGone if it held handoffs and is gone, errEmptied if it is empty. It is made before anything is
// logged.
func (s *Store) Prover() (*disk.Dir, error) {
	dir, err := s.Existing()
	if err == nil && dir != nil {
		s.watchOne(dir, false)
	}
	return dir, err
}

// Existing is Prover for somebody who writes.
func (s *Store) Existing() (*disk.Dir, error) {
	dir, err := s.OpenPlace(s.Opt.Dir)
	if err != nil || s.Opt.Git == disk.GitTracked { // there another branch may have none
		return dir, err
	}
	if dir != nil {
		if err := (Dirs{Store: s, Dir: dir}).checkEmptied(); err != nil {
			dir.Close()
			return nil, err
		}
		return dir, nil
	}
	begun, err := Dirs{Store: s}.HasEvents()
	if err != nil || !begun {
		return nil, passing(err) // any other is met where the state directory is opened
	}
	if dir, err = s.OpenPlace(s.Opt.Dir); err == nil && dir == nil {
		err = s.lost(errGone)
	}
	return dir, err
}

// checkEmptied is errEmptied for a handoffs directory without any file of a store that has held handoffs: a
// mount that is missing, or what a checkout has left.
func (d Dirs) checkEmptied() error {
	if d.hasTable() {
		return nil
	}
	names, err := d.Dir.Names(func(name string) bool {
		return index.IsFile(name) || disk.IsArchive(name)
	})
	if err != nil || len(names) > 0 { // which are looked at elsewhere
		return err
	}
	held, err := d.hasHeld()
	if err != nil || !held || d.hasTable() { // the first one may have come meanwhile
		return err
	}
	return d.lost(errEmptied)
}

func (d Dirs) hasTable() bool {
	entry, err := d.Dir.Lstat(disk.IndexFile)
	return err == nil && (entry.Size > 0 || !entry.Regular) || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// hasHeld reports whether a handoff came into the store and was on the disk for good: what the journal has whole
// comes back by itself. Where there is no journal the audit log says it.
func (d Dirs) hasHeld() (held bool, err error) {
	err = d.inState(func(state *disk.Dir) error {
		key, err := d.Key(state, false)
		if err == nil {
			var j *journal.Journal
			if j, err = journal.Open(state, key, false); err == nil {
				defer j.Close()
				held = j.First().Index != journal.HashOf(nil) && j.First().Index != journal.HashOf(index.New(nil))
				return nil
			}
		}
		if passing(err) != nil {
			return err
		}
		log, err := state.OpenSole(disk.LogFile)
		if err != nil {
			return passing(err) // any other is met elsewhere
		}
		defer log.Close()
		const longest = 64 // of what is looked for
		return eachPiece(log, longest, func(piece []byte) bool {
			held = bytes.Contains(piece, []byte(`"event_type":"handoff.write"`)) ||
				bytes.Contains(piece, []byte(`"event_type":"handoff.import"`))
			return !held
		})
	})
	return held, err
}

// Reader is Prover for a command that changes nothing, and warns instead.
func (s *Store) Reader() (*disk.Dir, error) {
	if err := s.CheckSent(); err != nil {
		s.Opt.Lost(err)
	}
	dir, err := s.Prover()
	if errors.Is(err, errGone) || errors.Is(err, errEmptied) {
		s.Opt.Lost(err)
		err = nil
	}
	return dir, err
}

// Machine reads whose the store is recorded to be: fs.ErrNotExist if that is not recorded.
func (d Dirs) Machine() (record disk.MachineRecord, err error) {
	there := false
	err = d.inState(func(state *disk.Dir) (err error) {
		there = true
		record, err = ReadMachine(state)
		return err
	})
	if err == nil && !there {
		err = fs.ErrNotExist
	}
	return record, err
}

// MatchesMachine is CompareMachine for a store that is not open.
func (s *Store) MatchesMachine() (known bool, err error) {
	observed, err := s.Fingerprint()
	if err != nil {
		return false, err
	}
	d, err := s.OpenDirs()
	if err != nil {
		return false, err
	}
	defer d.Close()
	known, _, err = d.CompareMachine(observed)
	return known, err
}

// IsClone reports whether the files of the store came with a clone or a work tree in which nothing was
// written yet: it is committed with the code, and err, of Machine, says that no machine is recorded
// here, nor is any event.
func (d Dirs) IsClone(err error) bool {
	if d.Opt.Git != disk.GitTracked || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrNoMachine) {
		return false
	}
	events, err := d.HasEvents()
	return err == nil && !events
}

// CompareMachine returns whether the store is recorded as this machine's, and the record. A store
// without anything in it is nobody's yet.
func (d Dirs) CompareMachine(observed string) (known bool, record disk.MachineRecord, err error) {
	record, err = d.Machine()
	if err != nil || record.Fingerprint != observed {
		coming, ok, comingErr := d.comingMachine()
		if comingErr != nil {
			return false, record, comingErr
		}
		if ok && coming.Fingerprint == observed {
			return true, coming, nil
		}
	}
	if d.IsClone(err) {
		return false, record, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if begun, err := d.HasBegun(); err != nil || !begun {
			return false, disk.MachineRecord{}, err
		}
		record, err = d.Machine() // who has begun it just now has recorded it before
	}
	if err == nil && record.Fingerprint == observed {
		return true, record, nil
	}
	refused := &MachineError{Expected: record.Fingerprint, Observed: observed, Lost: err != nil, Git: d.Opt.Git, Command: d.RegenerateCommand()}
	switch {
	case fault.IsLimit(err):
		return false, disk.MachineRecord{}, fault.Unreadable(err)
	case errors.Is(err, fs.ErrNotExist):
		refused.Expected = "missing, although there are handoffs"
	case err != nil:
		refused.Expected = "unreadable (" + err.Error() + ")"
	}
	return false, disk.MachineRecord{}, refused
}

// HasSynced reports whether the store was ever exchanged with a remote: others may have what it has. A
// try that failed does not count. A mark in the project can only have the remote asked once more.
func (s *Store) HasSynced() (bool, error) {
	if !s.Opt.Git.IsShared() || s.Opt.Synced {
		return s.Opt.Synced, nil
	}
	outside, err := s.OutsidePath()
	if passing(err) != nil {
		return false, err
	}
	if err == nil && (IsThere(filepath.Join(outside, disk.SyncState)) || hasRefs(outside)) {
		return true, nil
	}
	return InState(s, func(state *disk.Dir) (bool, error) {
		_, err := state.Lstat(disk.Synced)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	})
}
