package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// FindRoot returns the root of the project of start, a directory: absolute, without symbolic links. It is the nearest
// directory with a .handoff.yaml, from start upward to the top of the git work tree. If there is none, it is that top,
// otherwise start. A .git that git does not accept as a repository is ignored. hasFile reports that the root has a
// .handoff.yaml, isMarked that it has that or is the top of a work tree.
func FindRoot(start string) (root string, hasFile, isMarked bool, err error) {
	dir, err := filepath.Abs(start)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as in git, the parents of the real path count
	}
	inGit := false
	for root = dir; err == nil; dir = filepath.Dir(dir) {
		if hasFile, err = exists(filepath.Join(dir, Name)); err == nil {
			inGit, err = git.IsTop(dir)
		}
		switch {
		case err != nil:
		case hasFile || inGit:
			return dir, hasFile, true, nil
		case dir == filepath.Dir(dir):
			return root, false, false, nil
		}
	}
	return "", false, false, fmt.Errorf("cannot find the project root from %q: %w; name it with --root", start, err)
}

// CheckLinks returns fault.ErrInvalid for a path through a symbolic link of a project. Such a link comes with the
// project, and its target is the choice of another person. Links outside projects are the user's.
func CheckLinks(path string) error {
	for at := filepath.Clean(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if _, _, isMarked, err := FindRoot(filepath.Dir(at)); err != nil || isMarked {
			real, _ := filepath.EvalSymlinks(at)
			real, _ = filepath.Abs(real)
			return fault.Invalid("name the place that you mean, which may be "+real,
				"%s is a symbolic link of the project", at)
		}
	}
	return nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil, err
}

// read returns the text of the settings file in root. It returns nil if there is none.
func read(root string) ([]byte, error) {
	path := filepath.Join(root, Name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() { // a FIFO would block
		return nil, fmt.Errorf("%s is not a regular file; replace it by one", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	defer file.Close()
	// one byte more, so that Parse detects a file that is too large
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	return src, nil
}
