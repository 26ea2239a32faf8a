package check

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// isUnreadable reports whether a file exists but cannot be read. Then its content does not count as missing.
func (s *Snapshot) isUnreadable(name string) bool {
	return slices.ContainsFunc(s.unreadable, func(f Finding) bool { return f.Place == name })
}

// hidesRows reports whether there may be rows that were not read.
func (s *Snapshot) hidesRows() bool {
	return slices.ContainsFunc(s.Indexes, func(f IndexFile) bool { return s.isUnreadable(f.Name) })
}

// hidesEvents reports whether there may be events that were not read or are unproven, or the log is missing.
func (s *Snapshot) hidesEvents() bool {
	return s.Log.Bad != "" || s.isUnreadable(disk.LogFile) || s.lacksLog()
}

// lacksLog reports whether the log is missing or empty.
func (s *Snapshot) lacksLog() bool {
	return s.Log.Count == 0 && s.Log.Bad == "" && !s.isUnreadable(disk.LogFile)
}

// lists reports whether any index file lists a handoff.
func (s *Snapshot) lists() bool {
	return slices.ContainsFunc(s.Indexes, func(f IndexFile) bool { return !index.IsEmpty([]byte(f.Text)) })
}

// IsElsewhere reports whether a handoff without a row is on another branch. The store must be committed with
// the code, and the document must be missing too.
func (s *Snapshot) IsElsewhere(h eventlog.Handoff) bool {
	if s.Opt.Git != disk.GitTracked || h.Line == 0 || s.hidesRows() {
		return false
	}
	w, err := s.Log.Written(h)
	_, isHere := slices.BinarySearch(s.names, path.Base(w.FilePath))
	return err == nil && !isHere
}

// isThere reports whether a name still exists. The names were read first, so a change may have removed some
// since.
func (s *Snapshot) isThere(name string) bool {
	_, err := s.Dir.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Files returns the names of all stored documents, in order.
func (s *Snapshot) Files() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return !index.IsFile(name) })
}

// adoptable returns the number of handoffs if the log of an open store is missing or empty. Otherwise it returns 0.
func adoptable(ctx context.Context, d store.Dirs) (int, error) {
	if has, err := d.HasEvents(); err != nil || has {
		return 0, err
	}
	s, err := LookIn(ctx, d)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	s.ListRows(nil)
	return len(s.Rows), nil
}
