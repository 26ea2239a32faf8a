package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A Journal is an open journal whose last record is verified.
type Journal struct {
	dir         *disk.Dir // the state directory
	file        *os.File
	key         Key
	at          []int64 // the offsets of the checkpoint and of each record
	first, last Head    // the heads of the checkpoint and of the last entry
	size        int64
	bad         bool // a record could not be written: see Append

	appended *Record // the last record, if this Journal has appended it: a large one is not read again
}

// ErrKey is wrapped by the error for a journal that was written with another key: in another directory, by
// another user, or with another secret.
var ErrKey = errors.New("the journal was written in another directory, or by another user")

// Open reads the heads of the journal in a state directory. Set write to append to it. If there is no
// journal, the error is fs.ErrNotExist. If no checkpoint verifies, it is ErrIntegrity, and wraps ErrKey if
// the key is another one.
func Open(state *disk.Dir, key Key, write bool) (*Journal, error) {
	open := state.Open
	if write {
		open = state.OpenToWrite
	}
	f, err := open(FileName)
	if err != nil {
		return nil, corrupt(state, err)
	}
	j := &Journal{dir: state, file: f, key: key}
	if err := j.read(); err != nil {
		f.Close()
		return nil, corrupt(state, err)
	}
	return j, nil
}

// corrupt adds the path and a hint to an error. It returns errors of the system unchanged.
func corrupt(state *disk.Dir, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) && !errors.Is(err, disk.ErrUnsafe) ||
		errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	advice := "run `handoff doctor --repair`; nothing was changed"
	if errors.Is(err, ErrKey) {
		advice = "use the account and the HOME that wrote it; if the store was moved or copied, or the secret was " +
			"lost, run `handoff machine-fingerprint regenerate`"
	}
	return fault.Integrity(advice, "%s: %v", filepath.Join(state.Path(), FileName), err)
}

var errNoCheckpoint = errors.New("the journal has no checkpoint of this store: it is damaged, or another program " +
	"wrote it")

// read reads all heads. It verifies the checkpoint and the last record with its payload. The MAC of a record
// covers the MAC before it, so the records in between are verified too.
func (j *Journal) read() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.size = info.Size()
	err = eachHead(j.file, j.size, func(h Head) bool {
		if len(j.at) == 0 {
			j.first = h
		}
		if len(j.at) > MaxRecords || !j.follows(h) {
			return false
		}
		j.at, j.last = append(j.at, h.offset), h
		return true
	})
	switch {
	case err != nil:
		return err
	case len(j.at) == 0:
		return errNoCheckpoint
	case j.first.keyID != j.key.id:
		return ErrKey
	case !j.first.verifies(j.key):
		return errNoCheckpoint
	}
	for ; len(j.at) > 1; j.at = j.at[:len(j.at)-1] {
		if j.last, _, err = j.entry(j.Records()); !errors.Is(err, errTorn) {
			return err
		}
	}
	j.last = j.first
	return nil
}

// eachHead calls do with each apparent head in a file of the given size, until do returns false. It reads the
// file in pieces, since a piece usually has several heads.
func eachHead(f io.ReaderAt, size int64, do func(Head) bool) error {
	room, free := disk.Piece()
	defer free()
	var piece []byte
	for at, from := int64(0), int64(0); at+headSize <= size; {
		if at+headSize > from+int64(len(piece)) {
			from, piece = at, room[:min(int64(len(room)), size-at)]
			if _, err := f.ReadAt(piece, from); err != nil {
				return err
			}
		}
		h, ok := decodeHead(piece[at-from:])
		if h.offset = at; !ok || at+headSize+h.size > size || !do(h) {
			break
		}
		at = h.next()
	}
	return nil
}

// Count returns the number of changes that a journal seems to have, without verifying them.
func Count(state *disk.Dir) (n int) {
	f, err := state.Open(FileName)
	if err != nil {
		return 0
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		_ = eachHead(f, info.Size(), func(Head) bool { n++; return n <= MaxRecords })
	}
	return max(0, n-1)
}

// follows reports whether h can be the next head.
func (j *Journal) follows(h Head) bool {
	if len(j.at) == 0 {
		return h.isCheckpoint
	}
	return !h.isCheckpoint && h.Number == j.last.Number+1 && h.prev == j.last.mac && h.keyID == j.last.keyID
}

var errTorn = errors.New("it does not verify")

// entry reads and verifies the n-th record, or the checkpoint if n is 0. It trusts the size in a head only if
// the head verifies.
func (j *Journal) entry(n int) (h Head, payload []byte, err error) {
	at := j.at[n]
	text := make([]byte, min(Page, j.size-at))
	if _, err := j.file.ReadAt(text, at); err != nil {
		return h, nil, err
	}
	h, ok := decodeHead(text)
	if h.offset = at; !ok || !h.verifies(j.key) || h.size > j.size-at-headSize {
		return h, nil, errTorn
	}
	payload = text[headSize:min(int64(len(text)), headSize+h.size)]
	if have := int64(len(payload)); have < h.size {
		payload = append(make([]byte, 0, h.size), payload...)[:h.size]
		if _, err := j.file.ReadAt(payload[have:], at+headSize+have); err != nil {
			return h, nil, err
		}
	}
	if HashOf(payload) != h.payload {
		return h, nil, errTorn
	}
	return h, payload, nil
}

// Close closes the file.
func (j *Journal) Close() { j.file.Close() }

// Last returns the head of the last record, or of the checkpoint if there is no record.
func (j *Journal) Last() *Head { return &j.last }

// BeforeLast returns the head before that of the last record.
func (j *Journal) BeforeLast() (Head, error) {
	h, _, err := j.entry(max(0, j.Records()-1))
	return h, err
}

// First returns the head of the checkpoint.
func (j *Journal) First() *Head { return &j.first }

// Records returns the number of records after the checkpoint.
func (j *Journal) Records() int { return len(j.at) - 1 }

// IsFull reports whether the journal has no space for another record of any size.
func (j *Journal) IsFull() bool {
	return j.bad || len(j.at) > MaxRecords || j.last.next()+align(headSize+MaxInline) > j.size
}

// Sync syncs all records, including those of a writer that was killed. It also works on a journal that is
// open for reading.
func (j *Journal) Sync() error { return disk.SyncData(j.file) }

// Checkpoint reads the checkpoint.
func (j *Journal) Checkpoint() (*Checkpoint, error) {
	h, b, err := j.entry(0)
	c := &Checkpoint{Head: h}
	if err == nil {
		err = decode(b, c)
	}
	if err != nil {
		return nil, corrupt(j.dir, fmt.Errorf("the checkpoint is unreadable: %w", err))
	}
	return c, nil
}

// Record reads the n-th record, counted from 1.
func (j *Journal) Record(n int) (*Record, error) {
	if n == j.Records() && j.appended != nil {
		return j.appended, nil
	}
	h, b, err := j.entry(n)
	r := &Record{}
	if err == nil {
		err = decode(b, r)
	}
	if in := r.Spooled; err == nil && in != nil {
		if b, err = j.Text(*in); err == nil {
			r = &Record{}
			err = decode(b, r)
		}
	}
	r.Head = h
	if err != nil {
		return nil, corrupt(j.dir, fmt.Errorf("record %d is unreadable: %w", j.first.Number+uint64(n), err))
	}
	return r, nil
}

// EachRecord calls do with the records in order, until do fails.
func (j *Journal) EachRecord(do func(*Record) error) error {
	for n := 1; n < len(j.at); n++ {
		r, err := j.Record(n)
		if err == nil {
			err = do(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Text returns the bytes of a text of a record. It reads and verifies them if they are in a spool.
func (j *Journal) Text(t Text) ([]byte, error) { return ReadText(j.dir, t) }

// ReadText is [Journal.Text] for the journal of a state directory.
func ReadText(state *disk.Dir, t Text) ([]byte, error) {
	if t.Spool == "" {
		return t.Bytes, nil
	}
	f, err := state.Open(t.Spool)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("its spool %s is missing", t.Spool)
	}
	if err != nil {
		return nil, corrupt(state, err)
	}
	defer f.Close()
	text := make([]byte, t.Span.Length)
	if _, err := f.ReadAt(text, t.Span.Offset); err != nil && err != io.EOF {
		return nil, err
	}
	if HashOf(text) != t.SHA256 {
		return nil, corrupt(state, fmt.Errorf("its spool %s was changed", t.Spool))
	}
	return text, nil
}

// Append adds a record and syncs the journal once. If it returns nil, the change is made and survives a
// crash. Otherwise the change is not made. Append overwrites its head with zeros, and this Journal accepts no
// more records: the system may report a later sync as successful although nothing was written. Log, Ledger
// and the heads of both must be those after the text that r appends. A large payload goes to spool, which may
// be nil.
func (j *Journal) Append(r *Record, spool *Spool) error {
	last := &j.last
	h := &r.Head
	h.isCheckpoint, h.keyID, h.Number, h.prev, h.offset = false, j.key.id, last.Number+1, last.mac, last.next()
	h.Log = Span{last.Log.End(), int64(len(r.LogText))}
	h.Ledger = Span{last.Ledger.End(), int64(len(r.LedgerText))}
	h.LogSum, h.LedgerSum = plus(last.LogSum, r.LogText), plus(last.LedgerSum, r.LedgerText)
	parts := encode(r)
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > MaxInline {
		text, err := inSpool(j.dir, spool, parts)
		if err != nil {
			return err
		}
		parts = encode(&Record{Spooled: &text})
	}
	payload := slices.Concat(parts...)
	if spool != nil {
		if err := spool.Sync(); err != nil {
			return err
		}
	}
	h.size, h.payload = int64(len(payload)), HashOf(payload)
	if j.IsFull() || h.next() > j.size {
		return fmt.Errorf("%s is full", j.file.Name())
	}
	if _, err := j.file.WriteAt(append(h.encode(j.key), payload...), h.offset); err != nil {
		return j.takeBack(h, err)
	}
	if err := j.Sync(); err != nil {
		return j.takeBack(h, err)
	}
	j.at, j.last, j.appended = append(j.at, h.offset), *h, r
	return nil
}

// takeBack erases a record that may not be on the disk.
func (j *Journal) takeBack(h *Head, cause error) error {
	j.bad = true
	_, err := j.file.WriteAt(make([]byte, headSize), h.offset)
	return errors.Join(cause, err)
}

// inSpool writes a payload to the spool, or to a new one.
func inSpool(dir *disk.Dir, spool *Spool, payload [][]byte) (text Text, err error) {
	if spool == nil {
		if spool, err = NewSpool(dir); err != nil {
			return text, err
		}
		defer spool.Close()
	}
	if text, err = spool.Add(payload...); err == nil {
		err = spool.Sync()
	}
	return text, err
}

// A Draft is a new journal that is not published yet.
type Draft struct {
	dir  *disk.Dir
	file *os.File
	key  Key

	// Found reports that an earlier draft was never published. A sync may have failed, so the content of
	// files in memory does not prove what is on the disk.
	Found bool
}

// Begin creates a draft of a journal in a state directory.
func Begin(state *disk.Dir, key Key) (*Draft, error) {
	f, found, err := state.OpenOrCreate(NewFileName)
	if err != nil {
		return nil, err
	}
	return &Draft{state, f, key, found}, nil
}

// Close closes the file. The draft stays on disk.
func (d *Draft) Close() { d.file.Close() }

// Finish writes the checkpoint and the space after it, and publishes the journal, durably. The caller must
// first sync the files that the checkpoint relies on.
func (d *Draft) Finish(c *Checkpoint) error {
	payload := slices.Concat(encode(c)...)
	h := &c.Head
	h.isCheckpoint, h.keyID, h.prev, h.offset = true, d.key.id, Hash{}, 0
	h.Log.Length, h.Ledger.Length, h.LogSum, h.LedgerSum = 0, 0, 0, 0
	h.size, h.payload, h.Index = int64(len(payload)), HashOf(payload), HashOf(c.Table)
	if err := d.file.Truncate(0); err != nil {
		return err
	}
	text := append(h.encode(d.key), payload...)
	text = append(text, make([]byte, h.next()-int64(len(text))+Room)...)
	if _, err := d.file.WriteAt(text, 0); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	if err := d.dir.RenameOver(NewFileName, FileName); err != nil {
		return err
	}
	return d.dir.Sync()
}
