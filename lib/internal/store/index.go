package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// ReadIndex returns the text of an index file, nil if it does not exist.
func ReadIndex(d *disk.Dir, name string) ([]byte, error) {
	f, err := openIndex(d, name)
	if err != nil || f == nil {
		return nil, err
	}
	defer f.Close()
	return readTable(f)
}

// readTable reads a whole index file. It stops where a line is longer than any row.
func readTable(f *disk.Text) ([]byte, error) {
	text := make([]byte, 0, f.Size()+1<<10) // so that a row can be appended in the same memory
	line := 0                               // where the last one begins
	for {
		n, err := f.Read(text[len(text):min(cap(text), len(text)+disk.MaxLine)])
		text = text[:len(text)+n]
		if end := bytes.LastIndexByte(text[len(text)-n:], '\n'); end >= 0 {
			line = len(text) - n + end + 1
		}
		switch {
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		case len(text)-line > disk.MaxLine:
			return nil, &fault.CorruptError{File: f.Name(), Why: fmt.Sprintf("has a line of more than %d bytes, which is not a row", disk.MaxLine)}
		case len(text) > disk.MaxIndex:
			return nil, tooLarge(f)
		case len(text) == cap(text): // it grew
			text = append(text, 0)[:len(text)]
		}
	}
}

// StillReads opens an index file, nil if it does not exist, and reports whether it reads text, or nothing at all.
func StillReads(d *disk.Dir, name string, text []byte) (f *disk.Text, same bool, err error) {
	if f, err = openIndex(d, name); err != nil || f == nil {
		return nil, err == nil, err
	}
	size := 0
	err = eachPiece(f, 0, func(piece []byte) bool {
		if !bytes.HasPrefix(text, piece) {
			size = -1
			return false
		}
		text, size = text[len(piece):], size+len(piece)
		return true
	})
	return f, size == 0 || size > 0 && len(text) == 0, err
}

// eachPiece calls do with what a file holds, piece by piece until it returns false, each with the last bytes of the one before.
// It is for what is looked at and not kept: to read into fresh memory costs more than to look through the same again.
func eachPiece(f io.Reader, overlap int, do func(piece []byte) bool) error {
	piece := make([]byte, 16<<10)
	for kept := 0; ; {
		n, err := f.Read(piece[kept:])
		if n > 0 && !do(piece[:kept+n]) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(piece, piece[max(0, kept+n-overlap):kept+n])
	}
}

// tooLarge says that an index file is larger than any store makes one.
func tooLarge(f *disk.Text) error {
	return &fault.CorruptError{File: f.Name(), Why: fmt.Sprintf("has more than the %d bytes that an index file may have", disk.MaxIndex)}
}

// openIndex opens an index file, nil if it does not exist. It refuses one that is larger than any.
func openIndex(d *disk.Dir, name string) (*disk.Text, error) {
	f, err := d.OpenText(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unreadable(Odd(filepath.Join(d.Path(), name), err))
	}
	if f.Size() > disk.MaxIndex {
		f.Close()
		return nil, tooLarge(f)
	}
	return f, nil
}

// AsString returns text without copying it: an index may be large. text must not be changed any more.
func AsString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// EachIndex calls do with INDEX.md, nil if it does not exist, and then with every archive, oldest first.
// fs.SkipAll from do ends the walk. A walk that comes to its end without an archive that has to be there
// fails with errArchiveLost.
func EachIndex(d *disk.Dir, do func(name string, text []byte) error) (err error) {
	defer func() {
		if err == fs.SkipAll {
			err = nil
		}
	}()
	text, err := ReadIndex(d, disk.IndexFile)
	if err != nil {
		return err
	}
	linked := index.Archives(AsString(text))
	if err := do(disk.IndexFile, text); err != nil {
		return err
	}
	var lost error
	err = index.EachArchive(linked, HasIndex(d), func(name string) error {
		text, err := ReadIndex(d, name)
		if err != nil {
			return err
		}
		if !index.HasTable(text) {
			lost = cmp.Or(lost, archiveLost(d, name))
			return nil
		}
		return do(name, text)
	})
	return cmp.Or(err, lost)
}

// IndexStamps returns what changes whenever an index file is replaced, or another one comes.
func IndexStamps(d *disk.Dir) (string, error) {
	var all strings.Builder
	add := func(name string) error {
		stamp, _, err := d.Stamp(name)
		all.WriteString(name + " " + stamp + "\n")
		return err
	}
	text, err := ReadIndex(d, disk.IndexFile)
	if err == nil {
		err = errors.Join(add(disk.IndexFile), index.EachArchive(index.Archives(AsString(text)), HasIndex(d), add))
	}
	return all.String(), err
}

// HasIndex reports whether there is something of an index file's name in d.
func HasIndex(d *disk.Dir) func(name string) (bool, error) {
	return func(name string) (bool, error) {
		_, err := d.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, fault.Unreadable(err)
	}
}

var errArchiveLost = errors.New("an archive of the index is lost")

// archiveLost says that an archive which has to be there is not, or that it holds nothing.
func archiveLost(d *disk.Dir, name string) error {
	return &fault.Error{
		Class:   fault.ErrIntegrity,
		Problem: filepath.Join(d.Path(), name) + " is missing or was emptied, and what it listed cannot be found",
		Advice:  "restore it, or run `handoff doctor` to see how to mend it; nothing was changed",
		Cause:   errArchiveLost,
	}
}

// LooksLikeRow reports whether a line that is no row was meant as one: it has as many cells and holds
// an id, or a stored file in a cell, or it is the beginning of a row. Whatever else has an id in it is
// a note.
func LooksLikeRow(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "| sha256:") && !strings.HasSuffix(line, "|") {
		return true
	}
	const pipes = 8 - 1 // of a row, one of them damaged
	if strings.Count(line, "|") < pipes {
		return false
	}
	if strings.Contains(line, "sha256:") {
		return true
	}
	for cell := range strings.SplitSeq(line, "|") {
		if index.IsFile(strings.TrimSpace(cell)) {
			return true
		}
	}
	return false
}
