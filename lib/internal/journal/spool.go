package journal

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A Spool is a file of the state directory for texts that are too large for a record.
type Spool struct {
	dir    *disk.Dir
	file   *os.File
	name   string
	size   int64
	synced int64
	kept   bool
}

// NewSpool creates a spool.
func NewSpool(state *disk.Dir) (*Spool, error) {
	f, name, err := state.CreateTemp(SpoolPrefix, 8, 0o600)
	if err != nil {
		return nil, err
	}
	return &Spool{dir: state, file: f, name: name}, nil
}

// Add appends a text, which has one or more parts. An empty text goes into the record itself.
func (s *Spool) Add(parts ...[]byte) (t Text, err error) {
	t.Span.Offset = s.size
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(part)
		if err == nil {
			_, err = s.file.WriteAt(part, s.size)
		}
		s.size += int64(len(part))
	}
	sum.Sum(t.SHA256[:0])
	if t.Span.Length = s.size - t.Span.Offset; t.Span.Length > 0 {
		t.Spool = s.name
	}
	return t, err
}

// Sync makes the added texts and the name of the spool survive a power cut.
func (s *Spool) Sync() error {
	if s.synced == s.size {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	if s.synced == 0 {
		if err := s.dir.Sync(); err != nil {
			return err
		}
	}
	s.synced, s.kept = s.size, true
	return nil
}

// Close closes the spool. It removes the file if no record can refer to it.
func (s *Spool) Close() {
	if !s.kept {
		_ = s.dir.Remove(s.name)
	}
	s.file.Close()
}

// Discard is Close for a spool to which no record refers.
func (s *Spool) Discard() {
	s.kept = false
	s.Close()
}

// IsSpool reports whether name is the name of a spool.
func IsSpool(name string) bool {
	random, ok := strings.CutPrefix(filepath.Base(name), SpoolPrefix)
	return ok && len(random) == 16 && strings.Trim(random, "0123456789abcdef") == ""
}
