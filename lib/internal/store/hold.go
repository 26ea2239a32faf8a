package store

import (
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A hold keeps what readers found: the directories of the store, and what their files show. A command that reads the
// store several times finds each of them once. A session begins with an empty hold and leaves an empty one, so it never
// works in a directory that was replaced before.
type hold struct {
	mu    sync.Mutex
	users int
	dirs  map[string]*disk.Dir

	stamps  string // of the files that the last look saw
	last    *look
	isFresh bool // the files need not be compared with the stamps
}

// Hold makes readers keep what they find, until every caller of Hold has called release. What they found before is
// looked at again, so that callers that overlap do not keep it for ever.
func (s *Store) Hold() (release func()) {
	s.hold.mu.Lock()
	defer s.hold.mu.Unlock()
	s.hold.forget()
	s.hold.users++
	return func() {
		s.hold.mu.Lock()
		defer s.hold.mu.Unlock()
		if s.hold.users--; s.hold.users == 0 {
			s.hold.forget()
		}
	}
}

// Refresh makes readers look at the disk again.
func (s *Store) Refresh() {
	s.hold.mu.Lock()
	defer s.hold.mu.Unlock()
	s.hold.forget()
}

func (h *hold) forget() {
	for _, d := range h.dirs {
		d.Close()
	}
	h.dirs, h.isFresh = nil, false
}

// openOnce returns the directory that open opens. While the store is held, it is opened once. It must not be locked.
func (s *Store) openOnce(path string, open func(string) (*disk.Dir, error)) (*disk.Dir, error) {
	h := &s.hold
	h.mu.Lock()
	defer h.mu.Unlock()
	if d := h.dirs[path]; d != nil {
		return d.Share(), nil
	}
	d, err := open(path)
	if err != nil || d == nil || h.users == 0 {
		return d, err
	}
	if h.dirs == nil {
		h.dirs = make(map[string]*disk.Dir)
	}
	h.dirs[path] = d
	return d.Share(), nil
}

// OpenToRead is OpenPlace for readers.
func (s *Store) OpenToRead(path string) (*disk.Dir, error) { return s.openOnce(path, s.OpenPlace) }
