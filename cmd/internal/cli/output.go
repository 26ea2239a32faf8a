package cli

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// newFile refuses a path for a bundle where none may be.
func NewFile(s *handoff.Store, path string) error {
	if err := CheckOutput(path); err != nil {
		return err
	}
	return outside(s, path)
}

// checkOutput is handoff.CheckLinks. A path that cannot be followed is invalid.
func CheckOutput(path string) error {
	err := handoff.CheckLinks(path)
	if err != nil && !errors.Is(err, handoff.ErrInvalid) {
		err = OutputError(path, err)
	}
	return err
}

// outside refuses a path among the files of the store: it could have the name of one that is replaced or removed.
func outside(s *handoff.Store, path string) error {
	if s.Holds(path) {
		return Invalid("name a file elsewhere", "%s would lie among the files of the store", path)
	}
	return nil
}
