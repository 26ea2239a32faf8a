package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// errIndex says that an index is one that only git can read.
var errIndex = errors.New("not an index that is read here")

// IndexFile returns the path of the index of the work tree whose top this is, "" if it has none.
func IndexFile(top string) string {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		dir, err = pointer(dir, "gitdir: ")
	}
	if name := filepath.Join(dir, "index"); err == nil && dir != "" {
		if info, err = os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// Tracks reports whether the index of a work tree has a path, relative to its top and with slashes, or
// something below it. It reads the index itself, in the form of gitformat-index(5); what it does not
// understand, it asks git about.
func Tracks(ctx context.Context, top, path string) (bool, error) {
	name := IndexFile(top)
	if name == "" {
		return false, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	found := false
	for _, digest := range []int64{20, 32} { // of SHA-1, of SHA-256
		if err = eachName(f, digest, func(name []byte) { found = found || covers(top, path, name) }); err == nil {
			return found, nil
		}
		found = false
	}
	if !errors.Is(err, errIndex) {
		return false, err
	}
	args := []string{"ls-files", "-z", "--cached", "--", path}
	call := Call{Args: args, Limit: 10 * time.Second, Max: 1 << 10, env: closed}
	out, err := Runner{Environ: os.Environ()}.run(ctx, top, args, call)
	if e := (*Error)(nil); errors.As(err, &e) && errors.Is(e.cause, errTooMuch) {
		return true, nil
	}
	return len(out) > 0, err
}

// covers reports whether a tracked name is the path or lies below it, also where the file system takes names
// that differ in case for the same.
func covers(top, path string, name []byte) bool {
	if len(name) < len(path) || len(name) > len(path) && name[len(path)] != '/' {
		return false
	}
	head := string(name[:len(path)])
	return head == path || strings.EqualFold(head, path) && isSame(filepath.Join(top, head), filepath.Join(top, path))
}

// An indexReader goes through an index.
type indexReader struct {
	*bufio.Reader
	version int
	at      int64 // of what comes next
	name    []byte
}

// eachName tells the names of an index whose objects have names of so many bytes. It is errIndex if that is
// not the length, if some names stand in another file, or if one stands for others.
func eachName(f *os.File, digest int64, tell func([]byte)) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := info.Size() - digest
	if end < 12 {
		return errIndex
	}
	r := indexReader{Reader: bufio.NewReaderSize(io.NewSectionReader(f, 0, end), 64<<10)}
	head, err := r.take(12)
	if err != nil || string(head[:4]) != "DIRC" {
		return errors.Join(errIndex, err)
	}
	r.version = int(binary.BigEndian.Uint32(head[4:]))
	count := binary.BigEndian.Uint32(head[8:])
	if r.version < 2 || r.version > 4 {
		return errIndex
	}
	for range count {
		if err := r.next(40 + digest + 2); err != nil {
			return fmt.Errorf("%w: %w", errIndex, err)
		}
		tell(r.name)
	}
	return r.extensions(end)
}

// take reads n bytes, which are good until the next call.
func (r *indexReader) take(n int64) ([]byte, error) {
	text, err := r.Peek(int(n))
	if err == nil {
		_, err = r.Discard(int(n))
	}
	r.at += n
	return text, err
}

// next reads an entry, of which so many bytes always come before its name.
func (r *indexReader) next(fixed int64) error {
	begin := r.at
	head, err := r.take(fixed)
	if err != nil {
		return err
	}
	flags := binary.BigEndian.Uint16(head[fixed-2:])
	if flags&0x4000 != 0 { // more flags
		if _, err := r.take(2); err != nil || r.version < 3 {
			return errors.Join(errIndex, err)
		}
	}
	keep := 0
	if r.version == 4 {
		if keep, err = r.kept(); err != nil {
			return err
		}
	}
	rest, err := r.ReadSlice(0)
	if err != nil || len(rest) == 1 && keep == 0 {
		return errors.Join(errIndex, err)
	}
	r.at += int64(len(rest))
	before := string(r.name)
	r.name = append(r.name[:keep], rest[:len(rest)-1]...)
	if string(r.name) < before { // git keeps them in order
		return errIndex
	}
	if r.version == 4 {
		return nil
	}
	pad, err := r.take((8 - (r.at-begin)%8) % 8)
	if err != nil || len(bytes.Trim(pad, "\x00")) > 0 {
		return errors.Join(errIndex, err)
	}
	return nil
}

// kept reads how much of the name before stays.
func (r *indexReader) kept() (int, error) {
	drop := 0
	for n := 0; ; n++ {
		b, err := r.ReadByte()
		if err != nil || n > 3 {
			return 0, errors.Join(errIndex, err)
		}
		if r.at++; n > 0 {
			drop++
		}
		if drop = drop<<7 | int(b&0x7f); b&0x80 == 0 {
			break
		}
	}
	if drop > len(r.name) {
		return 0, errIndex
	}
	return len(r.name) - drop, nil
}

// extensions goes through what stands behind the names, up to the end. A split index has more names in
// another file (link), and in a sparse one a directory stands for all below it (sdir).
func (r *indexReader) extensions(end int64) error {
	for r.at < end {
		head, err := r.take(8)
		if err != nil {
			return errors.Join(errIndex, err)
		}
		size := int64(binary.BigEndian.Uint32(head[4:]))
		if kind := head[0]; kind >= 'a' && kind <= 'z' || size > end-r.at { // one that must be understood
			return errIndex
		}
		if _, err := r.Discard(int(size)); err != nil {
			return errors.Join(errIndex, err)
		}
		r.at += size
	}
	if r.at != end {
		return errIndex
	}
	return nil
}
