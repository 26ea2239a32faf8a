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

// ReadTail reads the end of a file of the state that only grows. from is its length at the checkpoint. same
// reports whether the bytes between from and to, which the records append, have the checksum sum. rest holds
// the bytes after to, at most MaxBehind+1. If the file is shorter than from, the error is a
// *fault.CorruptError.
func ReadTail(state *disk.Dir, name string, from, to int64, sum uint32) (rest []byte, same bool, err error) {
	path := filepath.Join(state.Path(), name)
	f, err := state.OpenSole(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && from == 0:
		return nil, to == 0, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, &fault.CorruptError{File: path, Why: "is missing"}
	case err != nil:
		return nil, false, AsCorrupt(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if info.Size() < from {
		return nil, false, &fault.CorruptError{File: path,
			Why: fmt.Sprintf("is too short: it has %d bytes, and had %d", info.Size(), from)}
	}
	if info.Size() < to {
		return nil, false, nil
	}
	is, piece := uint32(0), make([]byte, min(to-from, 32<<10))
	for at := from; at < to; at += int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), to-at)]
		if _, err := f.ReadAt(piece, at); err == io.EOF {
			return nil, false, nil
		} else if err != nil {
			return nil, false, err
		}
		is = journal.Sum(is, piece)
	}
	rest = make([]byte, min(info.Size()-to, MaxBehind+1))
	if _, err := f.ReadAt(rest, to); err != nil && err != io.EOF {
		return nil, false, err
	}
	return rest, is == sum, nil
}

// Informing returns the whole lines at the beginning of text that only inform and continue the hash chain
// from head.
func Informing(text []byte, head journal.Hash) []byte {
	prev, good := eventlog.Genesis, 0
	if head != (journal.Hash{}) {
		prev = head.String()
	}
	for line := range bytes.Lines(text[:disk.WholeLines(text)]) {
		hash, ok := eventlog.Informs(line, prev)
		if !ok {
			break
		}
		prev, good = hash, good+len(line)
	}
	return text[:good:good]
}

// readStart reads the first bytes of a file of the state. It returns nil if the file does not exist.
func readStart(state *disk.Dir, name string, most int64) ([]byte, error) {
	f, err := state.OpenSole(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(info.Size(), most))
	n, err := f.ReadAt(text, 0)
	if err == io.EOF {
		err = nil
	}
	return text[:n], err
}
