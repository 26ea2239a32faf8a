package store

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// newestName is a file in the directory of [Store.Outside]. It has the number of the newest record of the journal,
// so that a state directory is found out that somebody has replaced by an older one: that one verifies as it did then.
//
// The number is written once the record is on the disk, and without a sync: after a power cut the file is
// missing, empty or says less, never more. It has the number twice, and the smaller one counts, so that this is true
// of a torn write too.
const (
	newestName   = "newest"
	newestFormat = "%020d %020d\n"
)

// Newest returns the number of the newest record that is known outside of the project. It is 0 if none is known, or
// if the file cannot be read: then a state directory is believed as its journal is.
func (s *Store) Newest() uint64 {
	var once, twice uint64
	if _, err := fmt.Sscanf(s.readOutside(newestName), newestFormat, &once, &twice); err != nil {
		return 0
	}
	return min(once, twice)
}

// SetNewest keeps the number of a record that is on the disk. It is best effort: if the user's state cannot be
// written, the change is made all the same.
func (s *Store) SetNewest(n uint64) {
	d, err := s.Outside()
	if err != nil {
		return
	}
	defer d.Close()
	f, _, err := d.OpenOrCreate(newestName, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteAt(fmt.Appendf(nil, newestFormat, n, n), 0)
}

// readOutside returns the text of a small file in the directory of [Store.Outside], "" if it cannot be read.
func (s *Store) readOutside(name string) string {
	d, err := s.existingOutside()
	if err != nil {
		return ""
	}
	defer d.Close()
	text, _ := d.ReadFile(name, disk.MaxStateFile)
	return string(text)
}

// ContinueCommand is the command that goes on from a state directory that is older than what this user has written.
func (s *Store) ContinueCommand() string { return s.regenerateFor("continued with an older state") }

// An OlderError says that a state directory is older than what this user has written. It wraps fault.ErrIntegrity.
type OlderError struct {
	Last, Newest uint64 // the numbers of its last change, and of the newest
	Command      string // goes on from it
}

func (e *OlderError) Error() string {
	return fmt.Sprintf("the state directory is older than what this user has written: "+
		"it ends with change %d, and change %d was made", e.Last, e.Newest)
}

// Plain is Error, which quotes nothing.
func (e *OlderError) Plain() string { return e.Error() }

// Hint says what to do next.
func (e *OlderError) Hint() string {
	return "restore the newest copy of it; to continue with this one, run `" + e.Command + "`"
}

func (e *OlderError) Unwrap() error { return fault.ErrIntegrity }

// CheckNewest compares the number of the last record of the journal with what [Store.Newest] returned before the
// journal was read. If it is smaller, the error is an *OlderError.
func (s *Store) CheckNewest(last, newest uint64) error {
	if last >= newest {
		return nil
	}
	return &OlderError{last, newest, s.ContinueCommand()}
}
