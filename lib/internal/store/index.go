package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// ReadIndex returns the text of an index file, or nil if the file does not exist. It fails at a line that is longer
// than any row.
func ReadIndex(d *disk.Dir, name string) ([]byte, error) {
	f, err := openIndex(d, name)
	if err == nil && f != nil && f.Size() > disk.MaxLine {
		defer f.Close()
		if err = checkLines(f); err == nil {
			f, err = openIndex(d, name)
		}
	}
	if err != nil || f == nil {
		return nil, err
	}
	defer f.Close()
	// spare room lets a caller append a row without a copy
	for text := make([]byte, 0, int(f.Size())+1<<10); len(text) <= disk.MaxIndex; text = slices.Grow(text, 1) {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		} else if err != nil {
			return nil, err
		}
	}
	return nil, tooLarge(f)
}

// checkLines fails at a line that is longer than any row, before the file takes memory.
func checkLines(f *disk.Text) error {
	long := 0 // the length of the last line so far
	err := eachPiece(f, 0, func(piece []byte) bool {
		if end := bytes.LastIndexByte(piece, '\n'); end >= 0 {
			long = -end - 1
		}
		long += len(piece)
		return long <= disk.MaxLine
	})
	if err == nil && long > disk.MaxLine {
		err = &fault.CorruptError{File: f.Name(),
			Why: fmt.Sprintf("has a line of more than %d bytes; no row is that long", disk.MaxLine)}
	}
	return err
}

// eachPiece calls do with each piece of a file until do returns false. Each piece starts with the last
// overlap bytes of the previous one. Use it to search a file that need not stay in memory: reusing the buffer
// is faster.
func eachPiece(f io.Reader, overlap int, do func(piece []byte) bool) error {
	piece, free := disk.Piece()
	defer free()
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

// tooLarge returns the error for an index file that is larger than any store makes one.
func tooLarge(f *disk.Text) error {
	return &fault.CorruptError{File: f.Name(),
		Why: fmt.Sprintf("is larger than %d bytes, the most that an index file can have", disk.MaxIndex)}
}

// openIndex opens an index file, or returns nil if it does not exist. It fails if the file is too large.
func openIndex(d *disk.Dir, name string) (*disk.Text, error) {
	f, err := d.OpenText(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unreadable(AsCorrupt(filepath.Join(d.Path(), name), err))
	}
	if f.Size() > disk.MaxIndex {
		f.Close()
		return nil, tooLarge(f)
	}
	return f, nil
}

// AsString returns text as a string without a copy, since an index may be large. Do not change text
// afterwards.
func AsString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// EachIndex calls do with INDEX.md, nil if it does not exist, and then with every archive, oldest first. If
// do returns fs.SkipAll, EachIndex stops and returns nil. If a required archive is missing, it visits the
// others and then returns errArchiveLost.
func EachIndex(d *disk.Dir, do func(name string, text []byte) error) (err error) {
	var lost error
	err = eachIndex(d, func(name string, text []byte, isLost bool) error {
		if isLost && name != disk.IndexFile {
			lost = cmp.Or(lost, archiveLost(d, name))
			return nil
		}
		return do(name, text)
	})
	if err == fs.SkipAll {
		return nil
	}
	return cmp.Or(err, lost)
}

// eachIndex reads INDEX.md and then every archive, oldest first, so that a row that a rotation moves meanwhile is
// seen twice rather than never. isLost reports a required file that is missing or has no table.
func eachIndex(d *disk.Dir, do func(name string, text []byte, isLost bool) error) error {
	text, err := ReadIndex(d, disk.IndexFile)
	if err != nil {
		return err
	}
	linked := index.Archives(AsString(text))
	if err := do(disk.IndexFile, text, index.ListsNothing(text)); err != nil {
		return err
	}
	return index.EachArchive(linked, HasIndex(d), func(name string) error {
		text, err := ReadIndex(d, name)
		if err != nil {
			return err
		}
		return do(name, text, !index.HasTable(text))
	})
}

// indexNames returns the names of INDEX.md and of the archives, as EachIndex visits them.
func indexNames(d *disk.Dir) ([]string, error) {
	names := []string{disk.IndexFile}
	text, err := ReadIndex(d, disk.IndexFile)
	if err == nil {
		err = index.EachArchive(index.Archives(AsString(text)), HasIndex(d), func(name string) error {
			names = append(names, name)
			return nil
		})
	}
	return names, err
}

// IndexStamps returns a string that changes when an index file is replaced or added.
func IndexStamps(d *disk.Dir) (string, error) {
	names, err := indexNames(d)
	if err != nil {
		return "", err
	}
	return stampsOf(d, names)
}

// stampsOf returns a string that changes when one of these index files is replaced. A new archive is linked in
// INDEX.md, so that changes too.
func stampsOf(d *disk.Dir, names []string) (_ string, err error) {
	var all strings.Builder
	for _, name := range names {
		stamp, _, stampErr := d.Stamp(name)
		all.WriteString(name + " " + stamp + "\n")
		err = errors.Join(err, stampErr)
	}
	return all.String(), err
}

// HasIndex returns a function that reports whether d has an entry of that name, of any type.
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

// archiveLost returns the error for an archive that is missing or empty.
func archiveLost(d *disk.Dir, name string) error {
	return &fault.Error{
		Class:   fault.ErrIntegrity,
		Problem: filepath.Join(d.Path(), name) + " is missing or empty; its handoffs cannot be found",
		Advice:  "restore it, or run `handoff doctor`; nothing was changed",
		Cause:   errArchiveLost,
	}
}

// LooksLikeRow reports whether a malformed line was probably meant to be a row. It is the beginning of a row,
// or it has enough cells and contains an id or a file name. Any other line with an id is a note.
func LooksLikeRow(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "| sha256:") && !strings.HasSuffix(line, "|") {
		return true
	}
	const pipes = 8 - 1 // a row has 8; one of them may be damaged
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
