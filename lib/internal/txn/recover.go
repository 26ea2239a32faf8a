package txn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// Recover opens the journal and checks that the files agree with its last record. If they do not, it updates
// them. A store without a journal gets one.
func (x *Session) Recover() (err error) {
	if err := x.openJournal(); errors.Is(err, fs.ErrNotExist) {
		return x.beginJournal()
	} else if err != nil {
		return err
	}
	if x.j.Records() == 0 { // the process that created it may have been killed before it synced the name
		if err := x.State.Sync(); err != nil {
			return err
		}
	}
	if x.index, err = store.ReadIndex(x.Dir, disk.IndexFile); err != nil {
		return err
	}
	inLine, err := x.readTails()
	if err != nil {
		return err
	}
	if x.elsewhere, err = x.IsElsewhere(x.j.Last().Commit); err != nil {
		return err
	}
	if x.state, err = store.HashState(x.State); err != nil {
		return err
	}
	if inLine && journal.SumState(x.state) == x.j.Last().State && x.j.Last().Boot == x.boot &&
		journal.HashOf(x.index) == x.j.Last().Index {
		return nil
	}
	return x.repeatRecords()
}

// openJournal opens the journal with the key of this store and user. It makes a secret if there is no journal, or one
// with its secret beside it, which counts only where none can be made elsewhere. Otherwise a new secret would hide that
// the one of the journal is missing.
func (x *Session) openJournal() (err error) {
	_, isNew := x.State.Lstat(journal.FileName)
	_, isElsewhere := x.State.Lstat(store.StateSecret)
	if err := x.NeedKey(errors.Is(isNew, fs.ErrNotExist) || isElsewhere == nil); err != nil {
		return err
	}
	x.closeJournal()
	x.boot = store.BootOf()
	newest, err := x.Newest()
	if err != nil {
		return err
	}
	j, err := journal.Open(x.State, x.key, true)
	if err != nil {
		return err
	}
	older := x.CheckNewest(j.Last().Number, newest)
	if older != nil && !x.goesBack {
		j.Close()
		return older
	}
	x.isOlder = older != nil
	x.j, x.prev, x.ledger = j, store.HeadOf(j.Last()).Hash, nil
	return nil
}

// NeedKey reads the key of this store and user once. If the key is missing, it makes one if create is set.
func (x *Session) NeedKey(create bool) (err error) {
	if x.key.IsZero() {
		x.key, err = x.Key(x.State, create)
	}
	return err
}

// GoBack lets the session recover from a state directory that is older than the last change of this user. The
// next checkpoint makes it the newest.
func (x *Session) GoBack() { x.goesBack = true }

func (x *Session) closeJournal() {
	if x.j != nil {
		x.j.Close()
		x.j = nil
	}
}

// beginJournal makes the first journal of a store, which has at most files from git. It does not set the
// newest record that is known outside, so that a journal that is only missing can still be restored.
func (x *Session) beginJournal() error {
	if _, err := x.State.Lstat(journal.NewFileName); !errors.Is(err, fs.ErrNotExist) && err != nil {
		return err
	}
	for _, name := range []string{disk.LogFile, disk.Ledger} {
		if size, err := x.sizeOf(name); err != nil {
			return err
		} else if size > 0 {
			return fault.Integrity(
				"restore it from a backup, or run `handoff doctor --repair`, which starts a new one",
				"%s is missing, but there are events", filepath.Join(x.State.Path(), journal.FileName))
		}
	}
	return x.rebase()
}

func (x *Session) sizeOf(name string) (int64, error) {
	entry, err := x.State.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return entry.Size, err
}

// readTails compares the audit log and the ledger with the records, and notes the informing lines that follow.
func (x *Session) readTails() (inLine bool, err error) {
	tails, err := store.ReadTails(x.State, x.j)
	x.extra, x.prev = tails.Extra, cmp.Or(tails.Head, x.prev)
	return tails.InLine, err
}

// maxInforming is the number of bytes of informing lines that cause a checkpoint.
const maxInforming = 256 << 10

// repeatRecords carries out the records of the journal again, in their order, and starts the journal over.
func (x *Session) repeatRecords() error {
	if err := x.j.Sync(); err != nil { // a killed writer may have left the last record in memory only
		return err
	}
	story, err := x.j.Story()
	if err != nil {
		return err
	}
	want, isTheirs, err := x.Settle(x.Dir, story, x.index, x.elsewhere, x.j.Text)
	if err != nil {
		return err
	}
	x.merges = x.merges || isTheirs
	// the new text of INDEX.md is durable before it replaces anything
	if err := x.checkpoint(want); err != nil {
		return err
	}
	if !bytes.Equal(want, x.index) {
		table, err := x.Dir.Prepare(disk.IndexFile, want, 0o644)
		if err != nil {
			return err
		}
		defer table.Discard()
		if err := table.Place(disk.IndexFile); err != nil {
			return err
		}
	}
	x.index = want
	return nil
}

// checkpoint verifies and restores the effects of the records, makes them durable, and starts the journal
// over. table is the new text of INDEX.md.
func (x *Session) checkpoint(table []byte) error {
	story, err := x.j.Story()
	if err != nil {
		return err
	}
	last := x.j.Last()
	c := &journal.Checkpoint{Table: table, State: make(map[string]*journal.Text)}
	c.Number, c.LogHead, c.LedgerHead = last.Number+1, journal.ParseHash(x.prev), last.LedgerHead
	c.Log.Offset, c.Ledger.Offset = last.Log.End()+int64(len(x.extra)), last.Ledger.End()
	for _, name := range store.StateFiles {
		if text := story.StateFile(name); text != nil {
			c.State[name] = text
		}
	}
	err = x.startOver(c, slices.Collect(maps.Keys(story.Files)),
		func(rewrite bool) error { return x.restoreFiles(story, table, rewrite) })
	if err == nil {
		x.SetNewest(c.Number)
	}
	return err
}

// startOver restores the files, makes them durable with the files of the given names, and publishes a new journal.
func (x *Session) startOver(c *journal.Checkpoint, names []journal.Name, restore func(rewrite bool) error) error {
	draft, err := journal.Begin(x.State, x.key)
	if err != nil {
		return err
	}
	defer draft.Close()
	if err := restore(draft.Found); err != nil {
		return err
	}
	if err := x.syncAll(names); err != nil {
		return err
	}
	return x.finish(draft, c)
}

// finish publishes a new journal and opens it.
func (x *Session) finish(draft *journal.Draft, c *journal.Checkpoint) (err error) {
	c.Boot, c.Was = x.boot, journal.HashOf(x.index)
	if c.Commit, err = x.CheckedOut(); err != nil {
		return err
	}
	x.state = make(map[string]journal.Hash)
	for name, text := range c.State {
		x.state[name] = text.SHA256
		if text.Spool != "" || text.Len() > maxStateText {
			c.State[name] = &journal.Text{Spool: journal.Elsewhere, SHA256: text.SHA256}
		}
	}
	c.Head.State = journal.SumState(x.state)
	if c.LogTail, err = x.lastPage(disk.LogFile, c.Log.Offset); err != nil {
		return err
	}
	if c.LedgerTail, err = x.lastPage(disk.Ledger, c.Ledger.Offset); err != nil {
		return err
	}
	newest, err := x.Newest()
	if err != nil {
		return err
	}
	c.Number = max(c.Number, newest+1) // larger if the session goes on from an older state, or the journal was lost
	if err := draft.Finish(c); err != nil {
		return err
	}
	x.extra = nil
	if err := x.openJournal(); err != nil {
		return err
	}
	if _, err := x.State.RemoveOld(journal.IsSpool); err != nil {
		return err
	}
	return x.removeStaged()
}

// maxStateText is the largest file of the state that a checkpoint includes. It has only the hash of larger
// ones.
const maxStateText = 64 << 10

// lastPage returns the bytes of the last, partial page of a file.
func (x *Session) lastPage(name string, end int64) ([]byte, error) {
	from := end / journal.Page * journal.Page
	if from == end {
		return nil, nil
	}
	f, err := x.State.Open(name)
	if err != nil {
		return nil, store.AsCorrupt(filepath.Join(x.State.Path(), name), err)
	}
	defer f.Close()
	text := make([]byte, end-from)
	_, err = f.ReadAt(text, from)
	return text, err
}

// Rebase starts the journal over with the files as they are, after a repair.
func (x *Session) Rebase() error {
	err := x.rebase()
	if err == nil {
		x.SetNewest(x.j.Last().Number)
	}
	return err
}

func (x *Session) rebase() (err error) {
	if x.index, err = store.ReadIndex(x.Dir, disk.IndexFile); err != nil {
		return err
	}
	return x.baseline()
}

// RecoverFrom recovers with the key of the directory where the store was before. Then it starts the journal
// over here.
func (x *Session) RecoverFrom(store string) error {
	old, err := x.KeyOf(x.State, store, false)
	if err != nil || old.IsZero() {
		return errors.Join(err, fs.ErrNotExist)
	}
	here, err := x.Key(x.State, true)
	if err != nil {
		return err
	}
	x.key = old
	if err = x.Recover(); err == nil {
		err = x.Checkpoint() // the effects of the old journal must be on the disk before a new journal trusts the files
	}
	if x.key = here; err != nil {
		return err
	}
	return x.Rebase()
}

// baseline starts the journal over with the files as they are. It trusts them: the caller must verify them
// first.
func (x *Session) baseline() (err error) {
	if err := x.NeedKey(true); err != nil {
		return err
	}
	if err := x.SyncSecret(); err != nil {
		return err
	}
	x.boot = store.BootOf()
	c := &journal.Checkpoint{Table: x.index, State: make(map[string]*journal.Text)}
	if x.j != nil {
		c.Number = x.j.Last().Number + 1
	}
	log, size, err := x.openSized(disk.LogFile)
	if err != nil {
		return err
	}
	hash, end, err := eventlog.HeadAt(log, size)
	if log.Close(); err != nil {
		return err
	}
	ledger, err := x.State.ReadIfThere(disk.Ledger, disk.MaxLedger)
	if err != nil {
		return store.AsCorrupt(filepath.Join(x.State.Path(), disk.Ledger), err)
	}
	ledger = ledger[:disk.WholeLines(ledger)]
	c.Log.Offset, c.LogHead = end, journal.ParseHash(hash)
	c.Ledger.Offset, c.LedgerHead = int64(len(ledger)), chain(journal.Hash{}, ledger)
	var names []journal.Name
	for _, name := range store.StateFiles {
		text, err := x.State.ReadIfThere(name, disk.MaxLedger)
		if err != nil {
			return store.AsCorrupt(filepath.Join(x.State.Path(), name), err)
		}
		if text != nil {
			f := stateFile(name, text)
			c.State[name], names = &f.Text, append(names, f.Name)
		}
	}
	return x.startOver(c, names, func(bool) error {
		err := x.restoreTail(disk.LogFile, journal.Tail{Offset: end}, 0, false)
		if err == nil {
			err = x.restoreTail(disk.Ledger, journal.Tail{Offset: c.Ledger.Offset}, 0, false)
		}
		return err
	})
}

// restoreFiles updates the files to the records, first all in order, and then compares them. If rewrite is
// set, it writes them even if they compare equal: an earlier checkpoint may have met a failed sync, so memory
// proves nothing.
func (x *Session) restoreFiles(story *journal.Story, table []byte, rewrite bool) error {
	files := maps.Clone(story.Files)
	if x.elsewhere {
		journal.DropUnlisted(files, table)
	}
	for _, name := range store.StateFiles { // another program may have changed those that no record replaces
		n := journal.Name{Place: journal.State, File: name}
		if _, replaced := files[n]; replaced {
			continue
		}
		if files[n] = story.State[name]; files[n] != nil {
			continue
		}
		_, err := x.State.Lstat(name)
		if err == nil {
			err = x.quarantine(x.State, name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(files), journal.Name.Compare) {
		if text := files[name]; text != nil {
			if err := x.restoreFile(story, journal.File{Name: name, Text: *text}, rewrite); err != nil {
				return err
			}
		}
	}
	for name, sum := range story.Removed() {
		if err := x.removeFile(journal.Gone{Name: name, SHA256: sum}); err != nil {
			return err
		}
	}
	log, ledger := story.Tails()
	if err := x.restoreTail(disk.LogFile, log, int64(len(x.extra)), rewrite); err != nil {
		return err
	}
	return x.restoreTail(disk.Ledger, ledger, 0, rewrite)
}

// restoreFile makes a file hold the text of a record. It replaces a file that only lacks bytes and
// quarantines any other. If the file is another handoff that INDEX.md lists, the journal is older than the
// directory.
func (x *Session) restoreFile(story *journal.Story, f journal.File, rewrite bool) error {
	d, done, err := x.dirOf(f.Name)
	if err != nil {
		return err
	}
	defer done()
	have, err := d.ReadFile(f.File, disk.MaxIndex)
	switch {
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
		err = x.quarantine(d, f.File)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && journal.HashOf(have) == f.SHA256 && (!rewrite || f.Spool == journal.Elsewhere):
		return nil
	}
	if err != nil {
		return err
	}
	if f.Spool == journal.Elsewhere {
		return &fault.CorruptError{File: filepath.Join(x.State.Path(), f.File), Why: "was changed by another program"}
	}
	text, err := x.j.Text(f.Text)
	if err != nil {
		return err
	}
	if len(have) == 0 || bytes.Equal(have, text) || disk.Begins(string(text), have) ||
		story.Had(f.Name, journal.HashOf(have)) {
		return x.put(d, f.Name, text)
	}
	if f.Place == journal.Handoffs && index.IsFile(f.File) {
		if _, row, err := store.ParseProven(f.File, have); err == nil {
			if l, listed := index.Find(x.index, row.ID); listed && l.Row.File == f.File {
				return &fault.CorruptError{File: x.Path(f.File),
					Why: "is another handoff, which INDEX.md lists: the state directory is older than the handoffs " +
						"directory"}
			}
		}
	}
	if err := x.linkQuarantine(d, f.File); err != nil {
		return err
	}
	return x.put(d, f.Name, text)
}

// removeFile removes a file if it still has the recorded content, or what a power cut has left of it.
func (x *Session) removeFile(g journal.Gone) error {
	d, done, err := x.dirOf(g.Name)
	if err != nil {
		return err
	}
	defer done()
	have, err := d.ReadFile(g.File, disk.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrTooLarge) {
		return nil
	}
	if err != nil || journal.HashOf(have) != g.SHA256 && len(bytes.Trim(have, "\x00")) > 0 {
		return err
	}
	return d.Remove(g.File)
}

// restoreTail makes a file that only grows have what the records append, with nothing torn after it.
func (x *Session) restoreTail(name string, tail journal.Tail, informing int64, rewrite bool) error {
	end := tail.End()
	if size, err := x.sizeOf(name); end == 0 && size == 0 {
		return err
	}
	log, size, err := x.openSized(name)
	if err != nil {
		return err
	}
	defer log.Close()
	if size > end+informing {
		if err := x.cutTorn(log, end+informing, size); err != nil {
			return err
		}
	}
	at := tail.Offset
	for i := 0; i < len(tail.Parts) && err == nil; i++ {
		if part := tail.Parts[i]; rewrite {
			_, err = log.WriteAt(part, at)
		} else {
			err = log.PutAt(part, at)
		}
		at += int64(len(tail.Parts[i]))
	}
	if err == nil && rewrite && informing > 0 {
		_, err = log.WriteAt(x.extra, end)
	}
	return err
}

// cutTorn cuts off the torn end of a file that only grows. It keeps a copy, durably, unless the end is all zeros from
// a power cut.
func (x *Session) cutTorn(log *disk.Log, end, size int64) error {
	torn := make([]byte, min(size-end, store.MaxBehind))
	if _, err := log.ReadAt(torn, end); err != nil {
		return err
	}
	if torn = bytes.TrimRight(torn, "\x00"); len(torn) > 0 {
		name := filepath.Base(log.Name())
		kept := name + "." + x.NameTime()
		if name == disk.LogFile {
			kept = disk.TornLog + x.NameTime()
		}
		if err := x.State.CreateNew(kept, torn, 0o600); err != nil {
			return err
		}
		if err := x.State.Sync(); err != nil {
			return err
		}
		x.Opt.Warn(fmt.Sprintf("%s ended in a torn line of %d bytes; it was kept as %s", name, len(torn), kept))
	}
	return log.Truncate(end)
}

// isReplaced reports whether a record or a recovery replaces the file as a whole.
func isReplaced(name string) bool {
	return disk.IsReplaced(name) || index.IsFile(name)
}

// removeStaged removes what killed commands staged, in all directories of the store.
func (x *Session) removeStaged() error {
	for _, d := range []*disk.Dir{x.Dir, x.State} {
		if _, err := d.RemoveStaged(isReplaced); err != nil {
			return err
		}
	}
	signatures, err := x.Dir.OpenDir(disk.Signatures)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer signatures.Close()
		_, err = signatures.RemoveStaged(isReplaced)
	}
	return err
}

// ProveJournal reads the whole journal. Recovery reads only its heads if the files agree with it.
func (x *Session) ProveJournal() error {
	_, err := x.j.Story()
	return err
}

// Checkpoint makes all changes durable in the files that people see, before other stores rely on them.
func (x *Session) Checkpoint() error {
	_, left := x.State.Lstat(journal.NewFileName) // from an unfinished checkpoint
	if x.j.Records() == 0 && len(x.extra) == 0 && !x.isOlder && errors.Is(left, fs.ErrNotExist) {
		return nil
	}
	return x.checkpoint(x.index)
}
