package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// MaxBehind is the largest number of bytes that may follow the appends of the records in a file of the state.
// Informing lines cause a checkpoint long before that.
const MaxBehind = 4 << 20

// Tails is how the audit log and the ledger compare with what the records append to them.
type Tails struct {
	Extra   []byte // the informing lines of the audit log after those of the records
	Head    string // the hash that the event after them names
	Logged  bool   // the audit log has the lines of the records
	InLine  bool   // so has the ledger, and nothing torn follows
	Changed string // the file that another program has changed, if the system runs since the last record; or ""
}

// ReadTails compares the audit log and the ledger with the records of a journal. If one is shorter than at the
// checkpoint, the error is a *fault.CorruptError. If it has whole lines that no record has, the error is an
// *UnknownLinesError.
func ReadTails(state *disk.Dir, j *journal.Journal) (t Tails, err error) {
	first, last := j.First(), j.Last()
	logSum := func(h *journal.Head) uint32 { return h.LogSum }
	log, err := readTail(state, disk.LogFile, first.Log.Offset, last.Log, j, logSum)
	if err != nil {
		return t, err
	}
	t.Logged = log.same
	ledgerSum := func(h *journal.Head) uint32 { return h.LedgerSum }
	ledger, err := readTail(state, disk.Ledger, first.Ledger.Offset, last.Ledger, j, ledgerSum)
	if err != nil {
		return t, err
	}
	t.Extra, t.Head = informing(log.rest, last)
	t.InLine = log.same && ledger.same && len(t.Extra) == len(log.rest) && len(ledger.rest) == 0
	switch {
	case log.changed:
		t.Changed = disk.LogFile
	case ledger.changed:
		t.Changed = disk.Ledger
	}
	if disk.WholeLines(ledger.rest) > 0 {
		return t, unknownLines(state, disk.Ledger, last.Ledger.End())
	}
	if len(t.Extra) < disk.WholeLines(log.rest) {
		return t, unknownLines(state, disk.LogFile, last.Log.End()+int64(len(t.Extra)))
	}
	return t, nil
}

// A tail is the end of a file of the state that only grows.
type tail struct {
	same    bool   // it has what the records append
	changed bool   // it does not, even without the last record, which may be in progress
	rest    []byte // what follows
}

// readTail reads the end of a file. from is its length at the checkpoint, last is what the last record appends. sumOf
// returns the checksum of what the records up to one append.
func readTail(state *disk.Dir, name string, from int64, last journal.Span, j *journal.Journal,
	sumOf func(*journal.Head) uint32) (t tail, err error) {
	path, to := filepath.Join(state.Path(), name), last.End()
	f, err := state.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && from == 0:
		return tail{same: to == 0, changed: last.Offset > 0}, nil
	case errors.Is(err, fs.ErrNotExist):
		return t, &fault.CorruptError{File: path, Why: "is missing"}
	case err != nil:
		return t, AsCorrupt(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t, err
	}
	switch size := info.Size(); {
	case size < from:
		return t, &fault.CorruptError{File: path,
			Why: fmt.Sprintf("is too short: it has %d bytes, and had %d", size, from)}
	case size < last.Offset:
		return tail{changed: true}, nil
	case size < to:
		before, err := j.BeforeLast() // another finding covers a damaged one
		sum, failed := sumPiece(f, from, last.Offset)
		return tail{changed: err == nil && sum != sumOf(&before)}, failed
	}
	sum, err := sumPiece(f, from, to)
	if err != nil {
		return t, err
	}
	t.rest = make([]byte, min(info.Size()-to, MaxBehind+1))
	if _, err := f.ReadAt(t.rest, to); err != nil && err != io.EOF {
		return t, err
	}
	t.same = sum == sumOf(j.Last())
	t.changed = !t.same
	if len(t.rest) > MaxBehind && len(bytes.Trim(t.rest, "\x00")) > 0 { // a power cut leaves zeros
		return t, unknownLines(state, name, to)
	}
	return t, nil
}

// sumPiece returns the checksum of the bytes of a file between two offsets.
func sumPiece(f io.ReaderAt, from, to int64) (sum uint32, err error) {
	piece, free := disk.Piece()
	defer free()
	hash := journal.NewSum()
	_, err = io.CopyBuffer(hash, io.NewSectionReader(f, from, to-from), piece) // one that was cut has another sum
	return hash.Sum32(), err
}

func unknownLines(state *disk.Dir, name string, at int64) error {
	return &UnknownLinesError{&fault.Error{Class: fault.ErrIntegrity,
		Problem: fmt.Sprintf("%s has lines after byte %d that no command of this store wrote",
			filepath.Join(state.Path(), name), at),
		Words: name + " has lines that no command of this store wrote",
		Advice: "run `handoff doctor --repair`, which quarantines them and logs again what the handoffs prove; " +
			"nothing was changed"}, name, at}
}

// An UnknownLinesError is the error for lines in a file of the state that no command of this store wrote. It
// wraps fault.ErrIntegrity.
type UnknownLinesError struct {
	error
	Name   string
	Offset int64 // of the first such line
}

// Unwrap returns the error without the place.
func (e *UnknownLinesError) Unwrap() error { return e.error }

// informing returns the whole lines at the beginning of text that only inform and continue the hash chain
// from a head of the journal, and the hash that the next event names.
func informing(text []byte, head *journal.Head) (lines []byte, prev string) {
	good := 0
	prev = HeadOf(head).Hash
	for line := range bytes.Lines(text[:disk.WholeLines(text)]) {
		hash, ok := eventlog.Informs(line, prev)
		if !ok {
			break
		}
		prev, good = hash, good+len(line)
	}
	return text[:good:good], prev
}

// readStart reads the first bytes of a file of the state. It returns nil if the file does not exist.
func readStart(state *disk.Dir, name string, most int64) ([]byte, error) {
	f, err := state.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
