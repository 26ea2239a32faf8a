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

// Where the system cannot stage without a name, and in a [Batch], a staged file is called TempPrefix
// and something random. It lies in the directory StagingName inside the one where it will be
// published: few files are ever there, so that finding those that dead writers left takes no longer in
// a large store than in a small one.
const (
	TempPrefix  = ".tmp-"
	StagingName = ".staging"
)

// ErrUnsafe is wrapped by errors about an entry that is not a plain file or directory of ours: a
// symbolic link, a FIFO, a device, or a file with a second hard link where none may be.
var ErrUnsafe = errors.New("refused")

// ErrHeld says that another process had the lock of a directory for as long as the caller would wait.
var ErrHeld = errors.New("held by another process")

// ErrAppendOnly says that a file has the attribute by which the system lets it only grow.
var ErrAppendOnly = errors.New("it is append-only (chattr +a)")

// ErrTooLarge is wrapped by errors about a file that is longer than it may be.
var ErrTooLarge = errors.New("too large")

// ErrUnsupported is returned by every verb that writes, on systems where writing is not supported.
var ErrUnsupported = errors.New("writing handoffs is not supported on this system; use Linux or macOS")

// Begins reports whether part is what a power cut may have left of the beginning of data, which holds
// no NUL: some of its blocks may be zeros.
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

// WholeLines returns how much of a text that grows by lines, none of which holds a NUL, is whole: a
// crash may leave last lines without their end, or with zeros in them.
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

// ReadAll returns the content of f, at most max bytes. A longer file is an error, not a cut.
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

// AppendFile is ReadFile into the room behind data, for who reads many files.
func (d *Dir) AppendFile(data []byte, name string, max int64) ([]byte, error) {
	data, _, err := d.AppendEntry(data, name, max)
	return data, err
}

// ReadFile returns the content of the plain file name in d, at most max bytes.
func (d *Dir) ReadFile(name string, max int64) ([]byte, error) {
	return d.AppendFile(nil, name, max)
}

// ReadIfThere is ReadFile for a file that need not be there: nil is none.
func (d *Dir) ReadIfThere(name string, max int64) ([]byte, error) {
	data, err := d.ReadFile(name, max)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// ReplaceNow is Replace, and survives a power cut.
func (d *Dir) ReplaceNow(name string, data []byte, perm os.FileMode) error {
	if err := d.Replace(name, data, perm); err != nil {
		return err
	}
	return d.Sync()
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

// withShown returns the names that the view leaves, and those that it adds.
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

// IsStaged reports whether name is exactly one that staging gives to unfinished files, or that
// replacing one of the files isReplaced gives: a point, the name of that file and a random number.
func IsStaged(name string, isReplaced func(string) bool) bool {
	if isTemp(name) || name == StagingName {
		return true
	}
	stem := strings.TrimRight(name, "0123456789")
	of, hidden := strings.CutPrefix(stem, ".")
	return hidden && len(stem) < len(name) && isReplaced(of)
}

// randomLen is how many random bytes the name of a staged file has, in hex.
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
	Special bool        // it has a setuid, setgid or sticky bit
	Owner   uint32      // user id
	links   uint64      // how many names the file has
}
