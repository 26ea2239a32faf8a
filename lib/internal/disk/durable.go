package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// TempPrefix begins the name of a staged file. Random digits follow.
const TempPrefix = ".tmp-"

// ErrUnsafe is wrapped by errors about an entry that is not a plain file or directory: a symbolic link, a
// FIFO or a device.
var ErrUnsafe = errors.New("refused")

// ErrHeld is the error if another process held the lock of a directory for the whole wait.
var ErrHeld = errors.New("held by another process")

// ErrTooLarge is wrapped by errors about a file that is larger than permitted.
var ErrTooLarge = errors.New("too large")

// ErrUnsupported is returned by every method that writes, on systems where writing is not supported.
var ErrUnsupported = errors.New("writing handoffs is not supported on this system; use Linux or macOS")

// Begins reports whether part can be what a power cut left of the beginning of data: some blocks may be
// zeros. data must have no NUL.
func Begins(data string, part []byte) bool {
	if len(part) > len(data) {
		return false
	}
	for i, b := range part {
		if b != 0 && b != data[i] {
			return false
		}
	}
	return true
}

// WholeLines returns the length of the whole lines of a text that grows by lines without NUL. After a crash
// the last lines may lack their end or have zeros.
func WholeLines(text []byte) int {
	end := bytes.LastIndexByte(text, '\n') + 1
	for end > 0 {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if bytes.IndexByte(text[start:end], 0) < 0 {
			break
		}
		end = start
	}
	return end
}

// ReadAll returns the content of f. If it has more than max bytes, the error wraps ErrTooLarge.
func ReadAll(f *os.File, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = tooLarge(f.Name(), max)
	}
	return data, err
}

func tooLarge(path string, max int64) error {
	return fmt.Errorf("%s: %w: more than the %d bytes that are read", path, ErrTooLarge, max)
}

// AppendFile is ReadFile, but appends to data. Use it to read many files with less memory.
func (d *Dir) AppendFile(data []byte, name string, max int64) ([]byte, error) {
	data, _, err := d.AppendEntry(data, name, max)
	return data, err
}

// ReadFile returns the content of the regular file name in d. If it has more than max bytes, the error wraps
// ErrTooLarge.
func (d *Dir) ReadFile(name string, max int64) ([]byte, error) {
	return d.AppendFile(nil, name, max)
}

// ReadIfThere is ReadFile, but returns nil for a missing file.
func (d *Dir) ReadIfThere(name string, max int64) ([]byte, error) {
	data, err := d.ReadFile(name, max)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// ReplaceNow is Replace, and the new name survives a power cut.
func (d *Dir) ReplaceNow(name string, data []byte, perm os.FileMode) error {
	if err := d.Replace(name, data, perm); err != nil {
		return err
	}
	return d.Sync()
}

// CreateNew creates a file with its whole content, which is on disk before the name. If the name exists, the error is
// fs.ErrExist. The name itself survives a power cut after [Dir.Sync].
func (d *Dir) CreateNew(name string, data []byte, perm os.FileMode) error {
	staged, err := d.Stage(data, perm)
	if err != nil {
		return err
	}
	defer staged.Discard()
	return staged.Publish(name)
}

// Names returns the names in d that keep accepts, in no order. It reads the whole directory.
func (d *Dir) Names(keep func(string) bool) ([]string, error) {
	again, err := d.Reopen()
	if err != nil {
		return nil, err
	}
	defer again.Close()
	var names []string
	for {
		batch, err := again.f.Readdirnames(4096)
		for _, name := range batch {
			if keep(name) {
				names = append(names, name)
			}
		}
		if err == io.EOF || (err == nil && len(batch) == 0) {
			return d.withShown(names, keep)
		}
		if err != nil {
			return nil, err
		}
	}
}

// withShown removes the names that the view hides, and adds those that it shows.
func (d *Dir) withShown(names []string, keep func(string) bool) ([]string, error) {
	if d.view == nil {
		return names, nil
	}
	shown, err := d.view.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, known := shown[name]; return known })
	for name, isThere := range shown {
		if isThere && keep(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// IsStaged reports whether name is the name of an unfinished file. Staging gives such names, and so does
// replacing a file that isReplaced accepts: a dot, the name of that file and a random number.
func IsStaged(name string, isReplaced func(string) bool) bool {
	if isTemp(name) {
		return true
	}
	stem := strings.TrimRight(name, "0123456789")
	of, hidden := strings.CutPrefix(stem, ".")
	return hidden && len(stem) < len(name) && isReplaced(of)
}

// randomLen is the number of random bytes in the name of a staged file, in hex.
const randomLen = 12

func isTemp(name string) bool {
	random, ok := strings.CutPrefix(name, TempPrefix)
	return ok && len(random) == 2*randomLen && strings.Trim(random, "0123456789abcdef") == ""
}

func unsafeEntry(name, why string) error {
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%s: %w", why, ErrUnsafe)}
}

// An Entry describes a name in a directory.
type Entry struct {
	Regular bool
	Inode   uint64
	Size    int64
	Mode    os.FileMode // permission bits only
	Owner   uint32      // user id
}
