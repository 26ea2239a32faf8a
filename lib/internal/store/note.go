package store

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Notes are files of the user about the store, by name. Each can be lost.
const (
	notePrefix = "note-"
	maxNote    = 256 << 10
	forgotten  = 14 * 24 * time.Hour // notes that were not changed for so long go
)

// ReadNote returns a note, nil if there is none.
func (s *Store) ReadNote(name string) []byte { return s.readOwn(notePrefix+name, maxNote) }

// WriteNote replaces a note as well as it can. With a new one, old ones go.
func (s *Store) WriteNote(name string, text []byte) {
	own := s.ownPath()
	if own == "" {
		return
	}
	if !IsThere(filepath.Join(own, notePrefix+name)) {
		entries, _ := os.ReadDir(own)
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && strings.HasPrefix(e.Name(), notePrefix) && time.Since(info.ModTime()) > forgotten {
				_ = os.Remove(filepath.Join(own, e.Name()))
			}
		}
	}
	_ = s.writeOwn(notePrefix+name, text, false)
}
