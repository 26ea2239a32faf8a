package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile creates a file in dir, a path relative to root that is created if needed; "." is root itself. It writes
// nothing outside root, even through symbolic links, and replaces no file. If a file exists with the same content, it
// counts as written; otherwise the error wraps fs.ErrExist. The file is synced to disk.
func writeFile(root, dir, name string, content []byte) error {
	base, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer base.Close()
	if err := base.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the directory to write to: %v", err) // %v: it is no file that exists
	}
	name = filepath.Join(dir, name)
	out, err := base.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if held, readErr := base.ReadFile(name); readErr == nil && bytes.Equal(held, content) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = out.Write(content)
	return errors.Join(err, out.Sync(), out.Close())
}
