package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// NewFile returns an error if a new file cannot be written to path. In the directories of the store, files are replaced
// and removed.
func NewFile(s *handoff.Store, path string) error {
	if err := handoff.CheckLinks(path); err != nil || !s.Holds(path) {
		return err
	}
	return Invalid("choose another directory", "%s is in a directory of the store", path)
}

// WriteNew writes a new file of the user, durably. It replaces none; one with the same text counts as written.
func WriteNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if held, failed := os.ReadFile(path); failed == nil && bytes.Equal(held, text) {
			return nil
		}
		return Invalid("name a new file", "%s exists already", path)
	}
	if err != nil {
		return OutputError(path, err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
