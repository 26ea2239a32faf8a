package store

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A cache is a file in the directory of [Store.Outside], which no project can write to. It holds data that
// can be derived again. Its first line is a checksum, since it is written without a sync. You can delete it
// at any time.

const (
	maxCache  = 256 << 20
	cacheLine = "%08x\n"
)

// Cached returns the text that [Store.Cache] stored under name, or nil if the text is missing or damaged.
func (s *Store) Cached(name string) []byte {
	text, _ := s.readOutside(name, maxCache)
	sum, rest, _ := bytes.Cut(text, []byte("\n"))
	if fmt.Sprintf(cacheLine, crc32.ChecksumIEEE(rest)) != string(sum)+"\n" {
		return nil
	}
	return rest
}

// CachedLine returns the first line of a cache, up to 256 bytes, and the size of the cache. It does not verify the
// checksum.
func (s *Store) CachedLine(name string) (line []byte, size int64) {
	d, err := s.existingOutside()
	if err != nil {
		return nil, 0
	}
	defer d.Close()
	f, err := d.Open(name)
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 256))
	_, text, _ = bytes.Cut(text, []byte("\n"))
	line, _, _ = bytes.Cut(text, []byte("\n"))
	size, _ = f.Seek(0, io.SeekEnd)
	return line, size
}

// Cache stores text for commands that only read. It is best effort, since the text can be derived again.
func (s *Store) Cache(name string, text []byte) {
	d, err := s.Outside()
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Put(name, append(fmt.Appendf(nil, cacheLine, crc32.ChecksumIEEE(text)), text...))
}

// existingOutside is Outside, but it creates nothing.
func (s *Store) existingOutside() (*disk.Dir, error) {
	path, err := s.OutsidePath()
	if err != nil {
		return nil, err
	}
	return s.openOnce(path, disk.OpenDir)
}
