package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// newestName is a file in the directory of [Store.Outside]. It holds the number of the newest record of the
// journal. It reveals that a state directory was replaced by an older copy, since that copy still verifies.
//
// The number is written after the record is on the disk, and without a sync. After a power cut the file is
// missing, empty or has a smaller number, but never a larger one. The file has the number twice and the
// smaller one counts, so this also holds for a torn write.
const (
	newestName   = "newest"
	newestFormat = "%020d %020d\n"
)

// Newest returns the number of the newest record that is known outside of the project. It is 0 if none is
// known: the file is damaged, or the secret is in the state directory too. Then that directory is trusted as its
// journal is.
func (s *Store) Newest() (uint64, error) {
	text, err := s.readOutside(newestName, disk.MaxStateFile)
	if errors.Is(err, disk.ErrUnsafe) || s.cannotKeep(err) && IsThere(filepath.Join(s.Opt.StateDir, StateSecret)) {
		err = nil
	}
	var once, twice uint64 // 0 if it is missing or torn
	_, _ = fmt.Sscanf(string(text), newestFormat, &once, &twice)
	return min(once, twice), err
}

// SetNewest stores the number of a record that is on the disk. It is best effort: the change is made even if
// the user's state cannot be written.
func (s *Store) SetNewest(n uint64) {
	d, err := s.Outside()
	if err != nil {
		return
	}
	defer d.Close()
	f, _, err := d.OpenOrCreate(newestName)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteAt(fmt.Appendf(nil, newestFormat, n, n), 0)
}

// readOutside returns the text of a file of at most max bytes in the directory of [Store.Outside], or nil if it is
// missing.
func (s *Store) readOutside(name string, max int64) ([]byte, error) {
	d, err := s.existingOutside()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadIfThere(name, max)
}

// ContinueCommand returns the command that continues with an older state directory.
func (s *Store) ContinueCommand() string { return s.regenerateFor("continued with an older state") }

// ErrOlder is wrapped by the error for a state directory that is older than the last change of this user.
var ErrOlder = fault.New(nil, "", "the state directory is older than your last change")

// CheckNewest compares the number of the last record of the journal with newest. Call [Store.Newest] before
// you read the journal. If last is smaller, the error wraps ErrOlder and fault.ErrIntegrity.
func (s *Store) CheckNewest(last, newest uint64) error {
	if last >= newest {
		return nil
	}
	return fault.Integrity(
		"restore its newest copy; to continue with this one, run `"+s.ContinueCommand()+"`",
		"%v: it ends with change %d, but you made change %d", ErrOlder, last, newest)
}
