package cli

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// NewFile returns an error if a new file cannot be written to path. In the directories of the store, files are replaced
// and removed.
func NewFile(s *handoff.Store, path string) error {
	if err := CheckOutput(path); err != nil || !s.Holds(path) {
		return err
	}
	return Invalid("choose another directory", "%s is in a directory of the store", path)
}

// CheckOutput is handoff.CheckLinks with an error that names the path.
func CheckOutput(path string) error {
	err := handoff.CheckLinks(path)
	if err != nil && !errors.Is(err, handoff.ErrInvalid) {
		err = OutputError(path, err)
	}
	return err
}
