package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Snapshot is the content of a store at one moment, without its documents. Those never change and are read
// later.
type Snapshot struct {
	store.Dirs

	Indexes []IndexFile     // INDEX.md first, then the archives that readers reach
	Rows    map[string]*Row // by id: the first row of each, with the marks of all
	order   []*Row
	Ledger  []byte
	Log     *eventlog.Reading

	names      []string  // in the handoffs directory; see isThere
	unreadable []Finding // files that cannot be read as what their names mean
	denied     error     // of an unreadable file that another user, or a moment later, may find sound
	ledgerWhy  string    // why the ledger differs from the journal; it is read as it is then
	journal    *check    // the comparison with the journal; nil in a session, which has recovered
	isOlder    bool      // it lacks the newest events, so a handoff without events may still be from this clone
	log        *io.SectionReader
	done       func() error // closes log
}

// An IndexFile is the text of an index file. A linked file may be missing.
type IndexFile struct {
	Name, Text string
	Missing    bool
}

// A Row is a row with its place.
type Row struct {
	index.Row
	file string
	line int
}

// Place returns file:line.
func (r *Row) Place() string { return fmt.Sprintf("%s:%d", r.file, r.line) }

// Look reads a store until nothing changes in between. It returns nil for a store without a handoffs
// directory. The log can be compared with the checkpoints afterwards. If the store changes faster than it can
// be read, the error is ErrBusy.
func Look(ctx context.Context, s *store.Store, checkpoints ...eventlog.Checkpoint) (*Snapshot, error) {
	dir, err := s.Prover()
	if err != nil || dir == nil {
		return nil, err
	}
	st, err := LookIn(ctx, store.Dirs{Store: s, Dir: dir}, checkpoints...)
	if err != nil {
		st.Close()
		return nil, err
	}
	return st, nil
}

// patience is how often a changing store is read again.
const patience = 300

// LookIn is Look for a store that is open. It does not close the store.
func LookIn(ctx context.Context, d store.Dirs, checkpoints ...eventlog.Checkpoint) (st *Snapshot, err error) {
	for range patience {
		st = &Snapshot{Dirs: d, Rows: make(map[string]*Row), done: func() error { return nil }}
		same, err := st.read(checkpoints)
		if err != nil || same {
			return st, err
		}
		st.Release()
		d.State = st.Dirs.State
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return st, fault.Busy("try again when fewer commands write",
		"the store changes faster than it can be read")
}

// Close also closes the store.
func (s *Snapshot) Close() {
	s.Release()
	s.Dirs.Close()
}

// Release closes the log that LookIn opened.
func (s *Snapshot) Release() { s.done() }

// LogText returns a reader of the log from its beginning.
func (s *Snapshot) LogText() io.Reader { return io.NewSectionReader(s.log, 0, s.log.Size()) }

// read reads everything once. same reports whether all files had the same stamps before and after. The log
// only grows, so it is read afterwards, up to its size then.
func (s *Snapshot) read(checkpoints []eventlog.Checkpoint) (same bool, err error) {
	if s.names, err = s.Dir.Names(func(string) bool { return true }); err != nil {
		return false, err
	}
	slices.Sort(s.names)
	if s.State == nil {
		if s.State, err = s.OpenPlace(s.Opt.StateDir); err != nil {
			return false, err
		}
	}
	before := s.stamps() // before any comparison of files with the journal
	s.Rewatch(s.Dir, s.State)
	for _, read := range []func() error{s.readIndexes, s.readLedger, s.openLog} {
		if err := read(); err != nil {
			return false, err
		}
	}
	if s.State != nil && s.State.HasView() {
		s.journal = newCheck(s)
		s.journal.compareJournal()
	}
	if s.stamps() != before {
		return false, nil
	}
	if s.Log, err = eventlog.Read(s.log, checkpoints...); err != nil {
		return false, err
	}
	return s.Log.Torn == "" || s.stamps() == before, nil // the next command cuts off a torn end
}

// stamps returns a string that changes with every change of the store, since each change writes a record to
// the journal.
func (s *Snapshot) stamps() string {
	var all strings.Builder
	add := func(d *disk.Dir, name string) {
		stamp, _, err := d.Stamp(name)
		fmt.Fprintln(&all, name, stamp, err == nil)
	}
	for _, name := range s.names {
		if disk.IsArchive(name) {
			add(s.Dir, name)
		}
	}
	add(s.Dir, disk.IndexFile)
	if s.State != nil {
		add(s.State, journal.FileName)
		add(s.State, disk.LogFile)
		add(s.State, disk.Ledger)
		add(s.State, disk.FingerprintFile)
	}
	return all.String()
}

// readIndexes reads the files of store.EachIndex, and continues after an unreadable one.
func (s *Snapshot) readIndexes() error {
	text, err := s.readIndex(disk.IndexFile)
	if err != nil {
		return err
	}
	return index.EachArchive(index.Archives(text), store.HasIndex(s.Dir), func(name string) error {
		_, err := s.readIndex(name)
		return err
	})
}

// readIndex reads one index file. A file that is malformed or too large counts as missing, and gets a
// finding.
func (s *Snapshot) readIndex(name string) (string, error) {
	text, err := store.ReadIndex(s.Dir, name)
	if corrupt := (*fault.CorruptError)(nil); errors.As(err, &corrupt) {
		s.unreadable = append(s.unreadable, Finding{name, corrupt.Why, remedyRepair})
		err = nil
	}
	s.Indexes = append(s.Indexes, IndexFile{name, store.AsString(text), text == nil})
	return store.AsString(text), err
}

// readLedger reads the consumed tokens. If the ledger differs from the journal, it is read as it is.
func (s *Snapshot) readLedger() (err error) {
	if s.State == nil {
		return nil
	}
	s.Ledger, err = s.State.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if corrupt := (*fault.CorruptError)(nil); errors.As(err, &corrupt) && s.State.HasView() {
		s.ledgerWhy = corrupt.Why
		var state *disk.Dir
		if state, err = s.OpenPlace(s.Opt.StateDir); err == nil && state != nil {
			defer state.Close()
			s.Ledger, err = state.ReadIfThere(disk.Ledger, disk.MaxLedger)
		}
	}
	return s.orUnreadable(disk.Ledger, err)
}

// openLog opens the audit log and keeps it open, since it is read as a stream.
func (s *Snapshot) openLog() (err error) {
	s.log = eventlog.None()
	if s.State == nil {
		return nil
	}
	log, done, err := eventlog.Open(s.State)
	if err == nil {
		s.log, s.done = log, done
	}
	return s.orUnreadable(disk.LogFile, err)
}

// orUnreadable turns an error of an existing but unreadable file into a finding.
func (s *Snapshot) orUnreadable(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		s.denied = err
		fallthrough
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
		s.unreadable = append(s.unreadable, Finding{name, fmt.Sprintf("cannot be read: %v", err), remedyRepair})
		return nil
	}
	return err
}

// ListRows collects the rows. It calls tell with every line. tell may be nil. A row that occurs twice, after a rotation
// or a merge, is one handoff with the marks of both.
func (s *Snapshot) ListRows(tell func(f IndexFile, l index.Line)) {
	for _, f := range s.Indexes {
		for l := range index.Lines(f.Text) {
			first := s.Rows[l.Row.ID]
			switch {
			case !l.IsRow:
			case first == nil:
				first = &Row{l.Row, f.Name, l.Number}
				s.Rows[l.Row.ID], s.order = first, append(s.order, first)
			case first.File == l.Row.File && store.SameHandoff(first.Row, l.Row):
				first.Row = first.WithMark(l.Row.Marks()...)
			}
			if tell != nil {
				tell(f, l)
			}
		}
	}
}
