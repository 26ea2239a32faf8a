package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// Dirs are the open directories of a store. They answer quickly whether the store has rows, files or events.
// Dir or State is nil if it did not exist when it was opened. You can use Dirs while other processes change
// the store. A writer records the machine first, then makes the directories, then the files, rows and events.
type Dirs struct {
	*Store
	Dir, State *disk.Dir
}

// OpenDirs opens both directories.
func (s *Store) OpenDirs() (d Dirs, err error) {
	d.Store = s
	if d.Dir, err = s.OpenToRead(s.Opt.Dir); err == nil {
		d.State, err = s.OpenToRead(s.Opt.StateDir)
	}
	if err != nil {
		d.Close()
	}
	s.watch(d.Dir, d.State)
	return d, err
}

// InState returns the result of read for the state directory of a store. Without a state directory it returns
// the zero value.
func InState[T any](s *Store, read func(state *disk.Dir) (T, error)) (found T, err error) {
	state, err := s.watched(s.Opt.StateDir)
	if err != nil || state == nil {
		return found, err
	}
	defer state.Close()
	return read(state)
}

// Close closes the open directories.
func (d Dirs) Close() {
	for _, dir := range []*disk.Dir{d.Dir, d.State} {
		if dir != nil {
			dir.Close()
		}
	}
}

// inState calls do with the state directory. It opens the directory if it has appeared since, and does
// nothing if there is none.
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

// HasEvents reports whether the audit log exists and is not empty.
func (d Dirs) HasEvents() (has bool, err error) {
	err = d.inState(func(state *disk.Dir) error {
		log, err := state.Lstat(disk.LogFile)
		has = err == nil && log.Size > 0
		return passing(err)
	})
	return has, err
}

// HasRows reports whether any index file lists a handoff. An archive always has rows.
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

// CheckNewLog returns an error if rows prove that the empty log once had events.
func (d Dirs) CheckNewLog() error {
	rows, err := d.HasRows()
	if err == nil && rows {
		err = d.LogMissing()
	}
	return err
}

// LogMissing returns the error for a store that has handoffs but no events.
func (s *Store) LogMissing() error {
	return fault.Integrity(
		"run `handoff doctor`; after a clone, `"+s.RegenerateCommand()+"` begins a new log",
		"the audit log %s is missing or empty, but there are handoffs", filepath.Join(s.Opt.StateDir, disk.LogFile))
}

// ErrIndexMissing is the error for an INDEX.md that lists nothing although there are handoffs.
var ErrIndexMissing = fault.Integrity("run `handoff doctor --rebuild-index`",
	disk.IndexFile+" is missing or empty, but there are handoffs")

// HasLostIndex returns ErrIndexMissing if INDEX.md lists nothing although there are files of handoffs. Call
// it only after an INDEX.md without rows was seen: the rows of a change in progress appear soon. In a store
// without events, files next to an empty table were added by hand. They are not lost, since the next write
// adopts them.
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
	errGone = fault.Integrity("",
		"the handoffs directory does not exist, but the audit log has events")
	errEmptied = fault.Integrity("",
		"the handoffs directory is empty, but the audit log has handoffs")
)

// lostError returns the error for a handoffs directory that is gone or empty.
func (s *Store) lostError(how error) error {
	advice := "restore its disk, its branch or a backup; " +
		"to start over, move " + ShellQuote(s.Opt.StateDir) + " away too"
	return fault.Integrity(advice, "%s: %v", s.Opt.Dir, how)
}

// Prover opens the handoffs directory for commands that prove that nothing is missing. It returns nil if the
// directory never existed. The error is errGone if the directory held handoffs and is gone, and errEmptied if
// it is empty now. A command calls Prover before it logs anything.
func (s *Store) Prover() (*disk.Dir, error) {
	dir, err := s.existing(s.OpenToRead)
	if err == nil && dir != nil {
		s.watchOne(dir, false)
	}
	return dir, err
}

// Existing is Prover for writers: it does not compare the files with the journal.
func (s *Store) Existing() (*disk.Dir, error) { return s.existing(s.OpenPlace) }

func (s *Store) existing(open func(path string) (*disk.Dir, error)) (*disk.Dir, error) {
	dir, err := open(s.Opt.Dir)
	if err != nil || s.Opt.Git == disk.GitTracked { // another branch may have no handoffs
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
		return nil, passing(err) // opening the state directory reports any other error
	}
	if dir, err = open(s.Opt.Dir); err == nil && dir == nil {
		err = s.lostError(errGone)
	}
	return dir, err
}

// checkEmptied returns errEmptied if the store held handoffs but the directory has no file of a store. A
// mount is missing, or a checkout removed the files.
func (d Dirs) checkEmptied() error {
	if d.hasTable() {
		return nil
	}
	names, err := d.Dir.Names(func(name string) bool {
		return index.IsFile(name) || disk.IsArchive(name)
	})
	if err != nil || len(names) > 0 { // other checks read these files
		return err
	}
	held, err := d.hasHeld()
	if err != nil || !held || d.hasTable() { // the first handoff may have arrived meanwhile
		return err
	}
	return d.lostError(errEmptied)
}

func (d Dirs) hasTable() bool {
	entry, err := d.Dir.Lstat(disk.IndexFile)
	return err == nil && (entry.Size > 0 || !entry.Regular) || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// hasHeld reports whether the disk ever held a handoff of the store. Handoffs that the journal still has do
// not count, since recovery restores them. Without a journal the audit log decides.
func (d Dirs) hasHeld() (held bool, err error) {
	err = d.inState(func(state *disk.Dir) error {
		for range 2 { // the first change may make the journal, and then the log, while we look
			j, err := d.openJournal(state)
			if err == nil {
				defer j.Close()
				held = j.First().Index != journal.HashOf(nil) && j.First().Index != journal.HashOf(index.New())
				return nil
			}
			if passing(err) != nil {
				return err
			}
			if held, err = d.HasEvents(); !held || err != nil {
				return err
			}
		}
		return nil
	})
	return held, err
}

// Reader is Prover for commands that change nothing: it warns about missing handoffs instead of failing.
func (s *Store) Reader() (*disk.Dir, error) {
	dir, err := s.Prover()
	if errors.Is(err, errGone) || errors.Is(err, errEmptied) {
		s.Opt.Lost(err)
		err = nil
	}
	return dir, err
}

// Machine returns the recorded machine of the store. The error is fs.ErrNotExist if no machine is recorded.
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
	state, err := s.OpenPlace(s.Opt.StateDir)
	if err == nil && state != nil { // the usual case: the journal need not be read
		record, readErr := ReadMachine(state)
		if state.Close(); readErr == nil && record.Fingerprint == observed {
			return true, nil
		}
	}
	d, err := s.OpenDirs()
	if err != nil {
		return false, err
	}
	defer d.Close()
	known, err = d.CompareMachine(observed)
	return known, err
}

// IsClone reports whether this is a clone or work tree in which nothing was written yet. Its store is
// committed with the code and has no events. err comes from Machine and must say that no machine is recorded.
func (d Dirs) IsClone(err error) bool {
	if d.Opt.Git != disk.GitTracked || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrNoMachine) {
		return false
	}
	events, err := d.HasEvents()
	return err == nil && !events
}

// CompareMachine reports whether the store is recorded as this machine's. An empty store belongs to no machine
// yet.
func (d Dirs) CompareMachine(observed string) (known bool, err error) {
	record, err := d.Machine()
	if err != nil || record.Fingerprint != observed {
		coming, ok, comingErr := d.comingMachine()
		if comingErr != nil {
			return false, comingErr
		}
		if ok && coming.Fingerprint == observed {
			return true, nil
		}
	}
	if d.IsClone(err) {
		return false, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if begun, err := d.HasBegun(); err != nil || !begun {
			return false, err
		}
		record, err = d.Machine() // a process that began the store meanwhile recorded its machine first
	}
	if err == nil && record.Fingerprint == observed {
		return true, nil
	}
	refused := &MachineError{Expected: record.Fingerprint, Observed: observed, Lost: err != nil, Git: d.Opt.Git,
		Command: d.RegenerateCommand()}
	switch {
	case fault.IsLimit(err):
		return false, fault.Unreadable(err)
	case errors.Is(err, fs.ErrNotExist):
		refused.Expected = "missing, but there are handoffs"
	case err != nil:
		refused.Expected = "unreadable (" + err.Error() + ")"
	}
	return false, refused
}
