package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// StateFiles are the files of the state that are replaced as a whole. Only their content in the journal is
// trusted.
var StateFiles = []string{disk.FingerprintFile, disk.Pins, disk.Tombstones}

// HashState returns the hashes of those of [StateFiles] that exist. It is zero for one that is no regular file or is
// too large.
func HashState(state *disk.Dir) (map[string]journal.Hash, error) {
	hashes := make(map[string]journal.Hash)
	for _, name := range StateFiles {
		hash, err := hashFile(state, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
			hashes[name] = journal.Hash{}
		case err != nil:
			return nil, err
		default:
			hashes[name] = hash
		}
	}
	return hashes, nil
}

// hashFile returns the hash of a file. It reads the file piece by piece, so that a large one takes little
// memory.
func hashFile(d *disk.Dir, name string) (hash journal.Hash, err error) {
	f, err := d.Open(name)
	if err != nil {
		return hash, err
	}
	defer f.Close()
	piece, free := disk.Piece()
	defer free()
	sum := sha256.New()
	n, err := io.CopyBuffer(sum, io.LimitReader(f, disk.MaxLedger+1), piece)
	if err == nil && n > disk.MaxLedger {
		err = disk.ErrTooLarge
	}
	return journal.Hash(sum.Sum(nil)), err
}

// BootOf returns the start of the system in the form of the journal.
func BootOf() (b journal.Boot) {
	h := journal.HashOf([]byte(disk.BootID()))
	copy(b[:], h[:])
	return b
}

// A look is what readers see of a store whose files may lag behind its journal. They lag while a command
// writes them, after a kill or a power cut, or if another program changed them. A look is read when it is
// first needed, and writes nothing.
type look struct {
	store *Store
	once  sync.Once
	err   error
	doubt error // see Dirs.Doubt

	table       []byte // INDEX.md, nil if there is none
	hasTable    bool
	lags        bool
	underWay    bool                           // the last record is not carried out yet
	files       map[journal.Name]*journal.Text // the files that the records write; nil unless the files lag
	story       *journal.Story
	log, ledger []byte

	logErr, ledgerErr error // why the file cannot be read

	proven     bool      // a journal verifies and has the length and head of the ledger
	prove      sync.Once // of the ledger
	provenText []byte
	provenErr  error
	end        int64
	head       journal.Hash

	logHead LogHead
}

// A dirView is the look of one directory.
type dirView struct {
	*look
	place journal.Place
}

// watch makes directories that are open for reading show the content that the journal has for their files.
func (s *Store) watch(dir, state *disk.Dir) {
	l := s.viewOf(dir, state)
	if dir != nil {
		dir.SetView(&dirView{l, journal.Handoffs})
	}
	if state != nil {
		state.SetView(&dirView{l, journal.State})
	}
}

// viewOf returns the last look if no file that it compares with the journal has changed since. Otherwise it
// returns a new one.
func (s *Store) viewOf(dir, state *disk.Dir) *look {
	if dir == nil || state == nil {
		return &look{store: s}
	}
	h := &s.hold
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isFresh {
		return h.last
	}
	var stamps string
	for _, name := range append([]string{disk.IndexFile, journal.FileName, disk.LogFile, disk.Ledger}, StateFiles...) {
		d := state
		if name == disk.IndexFile {
			d = dir
		}
		stamp, _, err := d.Stamp(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &look{store: s}
		}
		stamps += stamp + " "
	}
	if h.last == nil || h.stamps != stamps {
		h.stamps, h.last = stamps, &look{store: s}
	}
	h.isFresh = h.users > 0
	return h.last
}

// Rewatch makes directories with a view of the journal read it again.
func (s *Store) Rewatch(dir, state *disk.Dir) {
	if dir.HasView() {
		s.watch(dir, state)
	}
}

// look returns what the view of the directories shows, or an empty look without a view.
func (d Dirs) look() *look {
	if d.State != nil {
		if v, ok := d.State.View().(*dirView); ok {
			v.once.Do(v.read)
			return v.look
		}
	}
	return &look{store: d.Store}
}

// Lags reports whether files of the store differ from the journal.
func (d Dirs) Lags() bool {
	l := d.look()
	return l.lags || l.err != nil
}

// Doubt returns why the state directory proves nothing, although it may have events. Its journal is missing,
// is another user's, or is older than the last change of this user. Doubt returns nil if the journal
// verifies.
func (d Dirs) Doubt() error { return d.look().doubt }

// LogHead returns the head of the log, as the directories show it. It is zero without a view of the journal.
func (d Dirs) LogHead() LogHead { return d.look().logHead }

// comingMachine returns the machine that an unfinished change records. A killed command may have recorded a
// machine that no file shows before recovery.
func (d Dirs) comingMachine() (record disk.MachineRecord, ok bool, err error) {
	l := &look{store: d.Store}
	if l.once.Do(l.read); !l.lags || !l.underWay || len(l.story.Records) == 0 {
		return record, false, l.err
	}
	for _, f := range l.story.Records[len(l.story.Records)-1].Put {
		if f.Place == journal.State && f.File == disk.FingerprintFile {
			record, err := disk.ParseMachineRecord(f.Bytes)
			return record, err == nil, nil
		}
	}
	return record, false, nil
}

// watched is OpenPlace for readers.
func (s *Store) watched(path string) (*disk.Dir, error) {
	d, err := s.OpenToRead(path)
	if err == nil && d != nil {
		s.watchOne(d, path == s.Opt.StateDir)
	}
	return d, err
}

// watchOne is watch for one of the directories.
func (s *Store) watchOne(d *disk.Dir, isState bool) {
	path := s.Opt.StateDir
	if isState {
		path = s.Opt.Dir
	}
	other, err := s.OpenToRead(path)
	if err == nil && other != nil {
		defer other.Close()
	}
	if isState {
		s.watch(other, d)
	} else {
		s.watch(d, other)
	}
}

// Text implements disk.View.
func (v *dirView) Text(name string) (text []byte, known bool, err error) {
	isTable := v.place == journal.Handoffs && name == disk.IndexFile
	if !isTable && !v.concerns(name) {
		return nil, false, nil
	}
	if v.once.Do(v.read); v.err != nil {
		return nil, false, v.err
	}
	switch {
	case isTable:
		return v.table, v.hasTable, nil
	case v.place == journal.State && name == disk.Ledger && v.proven:
		text, err := v.provenLedger()
		return text, text != nil, err
	case v.place == journal.State && name == disk.LogFile && v.lags:
		return v.log, v.log != nil, v.logErr
	}
	want, known := v.files[journal.Name{Place: v.place, File: name}]
	if known && want != nil {
		text, err = v.bytes(name, *want)
	}
	return text, known, err
}

// bytes returns the bytes of a text of a record. Of a large file of the state the journal has only the hash.
func (l *look) bytes(name string, t journal.Text) ([]byte, error) {
	if t.Spool == "" {
		return t.Bytes, nil
	}
	state, err := l.store.OpenToRead(l.store.Opt.StateDir)
	if err != nil || state == nil {
		return nil, err
	}
	defer state.Close()
	if t.Spool != journal.Elsewhere {
		return journal.ReadText(state, t)
	}
	text, err := state.ReadIfThere(name, disk.MaxLedger)
	if err == nil && journal.HashOf(text) != t.SHA256 {
		err = &fault.CorruptError{File: filepath.Join(state.Path(), name), Why: "was changed by another program"}
	}
	return text, err
}

// provenLedger returns the ledger after comparing it with its head in the journal, or nil for a store without a ledger.
// It reads the file once for each look: a take asks several times, and the ledger has a line for every take ever made.
func (l *look) provenLedger() ([]byte, error) {
	l.prove.Do(func() { l.provenText, l.provenErr = l.readLedger() })
	return l.provenText, l.provenErr
}

func (l *look) readLedger() ([]byte, error) {
	text := l.ledger
	if l.ledgerErr != nil {
		return nil, l.ledgerErr
	}
	if !l.lags {
		state, err := l.store.OpenToRead(l.store.Opt.StateDir)
		if err != nil || state == nil {
			return nil, err
		}
		defer state.Close()
		if entry, err := state.Lstat(disk.Ledger); err == nil && entry.Size > l.end+MaxBehind {
			path := filepath.Join(state.Path(), disk.Ledger)
			return nil, &fault.CorruptError{File: path,
				Why: fmt.Sprintf("has data after byte %d that no command of this store wrote", l.end)}
		}
		if text, err = state.ReadIfThere(disk.Ledger, disk.MaxLedger); err != nil || text == nil {
			return nil, err
		}
	}
	return text, CheckLedger(filepath.Join(l.store.Opt.StateDir, disk.Ledger), text, l.end, l.head)
}

// CheckLedger verifies that a ledger has the head and length that the journal has.
func CheckLedger(path string, text []byte, end int64, head journal.Hash) error {
	if int64(len(text)) < end {
		return &fault.CorruptError{File: path, Why: fmt.Sprintf("is too short: it has %d bytes, and had %d", len(text),
			end)}
	}
	var is journal.Hash
	for line := range bytes.Lines(text[:end]) {
		is = is.NextLine(line)
	}
	if is != head {
		return &fault.CorruptError{File: path, Why: "is not the ledger that this store wrote"}
	}
	return nil
}

// openJournal opens the journal of a state directory for reading.
func (s *Store) openJournal(state *disk.Dir) (*journal.Journal, error) {
	key, err := s.Key(state, false)
	if err != nil {
		return nil, err
	}
	return journal.Open(state, key, false)
}

// withStory calls do with the journal and its content, if there is a state directory.
func (s *Store) withStory(do func(*journal.Journal, *journal.Story) error) error {
	state, err := s.OpenToRead(s.Opt.StateDir)
	if err != nil || state == nil {
		return err
	}
	defer state.Close()
	j, err := s.openJournal(state)
	if err != nil {
		return err
	}
	defer j.Close()
	story, err := j.Story()
	if err != nil {
		return err
	}
	return do(j, story)
}

// fromJournal returns the text of a handoff that was written since the journal began, or nil for any other.
func (s *Store) fromJournal(file string) (text []byte, err error) {
	err = s.withStory(func(j *journal.Journal, story *journal.Story) (err error) {
		if want := story.Files[journal.Name{Place: journal.Handoffs, File: file}]; want != nil {
			text, err = j.Text(*want)
		}
		return err
	})
	return text, err
}

// Below implements disk.View.
func (v *dirView) Below(name string) disk.View {
	if v.place == journal.Handoffs && name == disk.Signatures {
		return &dirView{v.look, journal.Signatures}
	}
	return nil
}

// concerns reports whether the journal may have the file name.
func (v *dirView) concerns(name string) bool {
	switch v.place {
	case journal.State:
		return name == disk.LogFile || name == disk.Ledger || name == disk.Pins || name == disk.Tombstones
	case journal.Signatures:
		return true
	}
	return index.IsFile(name) || disk.IsArchive(name)
}

// Names implements disk.View.
func (v *dirView) Names() (map[string]bool, error) {
	if v.once.Do(v.read); v.err != nil || !v.lags {
		return nil, v.err
	}
	names := make(map[string]bool)
	for name, text := range v.files {
		if name.Place == v.place {
			names[name.File] = text != nil
		}
	}
	return names, nil
}

// read reads the journal and compares the files with it. If no journal verifies, the files are shown as they
// are, and verify reports the damage.
func (l *look) read() {
	s := l.store
	state, err := s.OpenToRead(s.Opt.StateDir)
	if err != nil || state == nil {
		l.err = passing(err)
		return
	}
	defer state.Close()
	newest, err := s.Newest()
	if l.err = passing(err); l.err != nil {
		return
	}
	j, err := s.openJournal(state)
	if err != nil {
		if l.err = passing(err); l.err == nil {
			l.unproven(state, err)
		}
		return
	}
	defer j.Close()
	if l.doubt = s.CheckNewest(j.Last().Number, newest); l.doubt != nil && s.Opt.Warn != nil {
		s.Opt.Warn(l.doubt.Error() + "; run `handoff doctor`")
	}
	dir, err := s.OpenToRead(s.Opt.Dir)
	if err != nil || dir == nil {
		l.err = passing(err)
		return
	}
	defer dir.Close()
	if l.table, err = ReadIndex(dir, disk.IndexFile); err != nil {
		l.err = passing(err) // the reader finds any other error itself
		return
	}
	l.hasTable = l.table != nil
	l.proven, l.end, l.head, l.logHead = true, j.Last().Ledger.End(), j.Last().LedgerHead, HeadOf(j.Last())
	logged, inLine := l.isInLine(state, j)
	if l.underWay = !logged; !inLine {
		l.err = l.readStory(state, dir, j, logged)
	}
}

// passing returns err if it is a temporary error of the system, which says nothing about the file. It returns
// nil for any other error. After a temporary error the files must not be shown as they are: data in the
// journal would be missed.
func passing(err error) error {
	errno := syscall.Errno(0)
	if !errors.As(err, &errno) {
		return nil
	}
	switch errno {
	case syscall.ENOENT, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return nil
	}
	return err
}

// unproven warns that the files are shown as they are, since the journal cannot be proven.
func (l *look) unproven(state *disk.Dir, why error) {
	l.doubt = why
	if errors.Is(why, fs.ErrNotExist) || l.store.Opt.Warn == nil {
		return
	}
	what := "the journal"
	if n := journal.Count(state); n > 0 {
		what = fault.Count(n, "change") + " in " + what
	}
	l.store.Opt.Warn(fmt.Sprintf("%s cannot be proven; the files are shown as they are: %s", what, OneLine(why)))
}

// isInLine reports whether the files agree with the last record. logged reports whether the audit log has the
// lines of that record. If so, all other steps were done before, at least in the memory of this start of the
// system.
func (l *look) isInLine(state *disk.Dir, j *journal.Journal) (logged, inLine bool) {
	last := j.Last()
	tails, err := ReadTails(state, j)
	hashes, hashErr := HashState(state)
	inLine = errors.Join(err, hashErr) == nil && tails.InLine && last.Boot == BootOf() &&
		journal.SumState(hashes) == last.State && journal.HashOf(l.table) == last.Index
	return tails.Logged, inLine
}

// readStory computes what the files must have. It syncs a record that may not be on the disk yet: what a
// reader has seen must not vanish. On a read-only disk there is nothing to sync.
func (l *look) readStory(state, dir *disk.Dir, j *journal.Journal, logged bool) (err error) {
	if !logged {
		if err := j.Sync(); err != nil {
			return passing(err)
		}
	}
	if l.story, err = j.Story(); err != nil {
		return err
	}
	l.files = maps.Clone(l.story.Files)
	s := l.store
	elsewhere, err := s.IsElsewhere(j.Last().Commit) // another commit is checked out than at the last change
	if err != nil {
		return err
	}
	for name, sum := range l.story.Removed() {
		text, err := readPlace(dir, state, name)
		if passing(err) != nil {
			return err
		}
		if err == nil && journal.HashOf(text) == sum {
			l.files[name] = nil
		} else {
			delete(l.files, name)
		}
	}
	l.table, _, err = s.Settle(dir, l.story, l.table, elsewhere,
		func(t journal.Text) ([]byte, error) { return l.bytes("", t) })
	if err != nil {
		return err
	}
	l.hasTable = len(l.table) > 0
	if elsewhere {
		journal.DropUnlisted(l.files, l.table)
	}
	for _, name := range StateFiles { // one that the journal does not know is ignored
		l.files[journal.Name{Place: journal.State, File: name}] = l.story.StateFile(name)
	}
	log, ledger := l.story.Tails()
	l.log, l.logErr = l.whole(state, disk.LogFile, j.First().Log.Offset, j.Last(), log)
	l.ledger, l.ledgerErr = l.whole(state, disk.Ledger, j.First().Ledger.Offset, j.Last(), ledger)
	l.lags = true
	return nil
}

// Settle returns the text that INDEX.md must have, for a text that was found. isTheirs reports that the found text is
// neither ours nor what a power cut leaves of it: then it stays if git has brought it, as elsewhere says, and is merged
// with the journal otherwise. In a synced store the marks of others come with their events, so that a mark which only
// this text has is a forgery by a branch, or a slip. text returns the bytes of a text of the journal.
func (s *Store) Settle(dir *disk.Dir, story *journal.Story, found []byte, elsewhere bool,
	text func(journal.Text) ([]byte, error)) (want []byte, isTheirs bool, err error) {
	switch {
	case elsewhere && len(found) > 0:
		return found, true, nil
	case story.Knows(found), story.IsDamaged(found):
		return story.Text(), false, nil
	}
	want, err = story.Merge(found, s.Opt.Git != disk.GitSynced, func(row index.Row) (bool, error) {
		var body []byte
		var err error
		if kept := story.Files[journal.Name{Place: journal.Handoffs, File: row.File}]; kept != nil {
			body, err = text(*kept)
		} else {
			body, err = dir.ReadFile(row.File, disk.MaxDocument)
		}
		_, err = s.ParseListed(row, body, err)
		return IsProven(err)
	})
	return want, true, err
}

// whole returns a file that only grows: its bytes up to the end of what the records append, and the informing
// lines after that. since is its length when the journal began.
func (l *look) whole(state *disk.Dir, name string, since int64, head *journal.Head, tail journal.Tail) ([]byte, error) {
	end := tail.End()
	text, err := readStart(state, name, end+MaxBehind)
	if errors.Is(err, disk.ErrUnsafe) {
		return nil, nil // as below
	}
	if err != nil {
		return nil, err
	}
	if int64(len(text)) < since {
		return nil, nil // damage, which verify reports
	}
	var behind []byte
	if int64(len(text)) > end && name == disk.LogFile {
		behind, _ = informing(text[end:], head)
	}
	return slices.Concat(text[:tail.Offset], slices.Concat(tail.Parts...), behind), nil
}

// readPlace reads a file of one of the directories.
func readPlace(dir, state *disk.Dir, name journal.Name) ([]byte, error) {
	d := dir
	switch name.Place {
	case journal.State:
		d = state
	case journal.Signatures:
		signatures, err := dir.OpenDir(disk.Signatures)
		if err != nil {
			return nil, err
		}
		defer signatures.Close()
		d = signatures
	}
	return d.ReadFile(name.File, disk.MaxIndex)
}
