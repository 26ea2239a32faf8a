package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Replace replaces the content of the file at path, which must still be old. It keeps old next to it as
// {name}.orig, or {name}.orig-2 and so on. Readers see either content as a whole, and a power cut leaves one of
// them. Replace refuses a symbolic link, and a file that was changed meanwhile.
func Replace(path string, old, content []byte) (backup string, err error) {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("find the directory of %s: %w", path, err)
	}
	dir, err := disk.OpenDir(parent)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := filepath.Base(path)
	if err := holdsStill(dir, name, path, old); err != nil {
		return "", err
	}
	if backup, err = keepOriginal(dir, name, old); err != nil {
		return "", fmt.Errorf("keep the original of %s: %w", path, err)
	}
	if err := dir.ReplaceNow(name, content, 0o644); err != nil {
		return "", fmt.Errorf("replace %s: %w", path, err)
	}
	return filepath.Join(filepath.Dir(path), backup), nil
}

// holdsStill returns an error if the file is not the one that the caller read: a change would be lost.
func holdsStill(dir *disk.Dir, name, path string, old []byte) error {
	now, err := dir.ReadFile(name, jsontree.MaxBytes)
	switch {
	case errors.Is(err, disk.ErrUnsafe):
		return invalid("name the file itself", "%s is not a regular file", path)
	case err != nil:
		return err
	case !bytes.Equal(now, old):
		return invalid("run the command again", "%s was changed meanwhile", path)
	}
	return nil
}

const backups = 100 // the maximum for one file

// keepOriginal durably writes the old content under a new name. Earlier backups stay.
func keepOriginal(dir *disk.Dir, name string, old []byte) (backup string, err error) {
	for n := 1; n <= backups; n++ {
		backup = name + ".orig"
		if n > 1 {
			backup = fmt.Sprintf("%s-%d", backup, n)
		}
		if err = dir.CreateNew(backup, old, 0o600); !errors.Is(err, fs.ErrExist) {
			return backup, errors.Join(err, dir.Sync())
		}
	}
	return "", err
}
