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

// MaxBehind is how many bytes may follow in a file of the state what the records append: informing lines make a
// checkpoint long before.
const MaxBehind = 4 << 20

// ReadTail reads a file of the state that only grows, from where it ended at the checkpoint. same reports whether it
// has up to the offset to what the records append, which has the checksum sum. rest is what follows, cut after
// MaxBehind+1 bytes. If the file has lost what it had at the checkpoint, the error is a *fault.CorruptError.
func ReadTail(state *disk.Dir, name string, from, to int64, sum uint32) (rest []byte, same bool, err error) {
	path := filepath.Join(state.Path(), name)
	f, err := state.OpenSole(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && from == 0:
		return nil, to == 0, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, &fault.CorruptError{File: path, Why: "is missing"}
	case err != nil:
		return nil, false, Odd(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if info.Size() < from {
		return nil, false, &fault.CorruptError{File: path,
			Why: fmt.Sprintf("is shorter than it was: it has %d bytes, and had %d", info.Size(), from)}
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

// Informing returns the whole lines at the beginning of a text that only inform and continue the chain of the audit
// log from head.
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

// readStart reads the first bytes of a file of the state, nothing where it is not there.
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
