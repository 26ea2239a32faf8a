package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// A Place is where a project lies.
type Place struct {
	Root    string // absolute and free of symbolic links
	HasFile bool   // Root has a .handoff.yaml, of whatever kind
	IsOwn   bool   // that or a .git in Root belongs to the caller or root, and so does Root
	Foreign string // what would have made another directory the root, and belongs to somebody else; "" if nothing
}

// FindRoot returns where the project of start, a directory, lies: in the nearest directory from start upward, but
// not above the top of the git work tree, that has a .handoff.yaml, else in that top, else in start itself. A .git
// that git takes for no repository counts for nothing. What belongs to neither the caller nor root makes no
// directory above start a root, and ends the search: whoever may make files in /tmp is not to choose the settings
// of everybody who works below it.
func FindRoot(start string) (Place, error) {
	dir, err := filepath.Abs(start)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // the parents of the real place count, as they do for git
	}
	for at := (Place{Root: dir}); err == nil; dir = filepath.Dir(dir) {
		var done bool
		if done, err = at.look(dir); done || err == nil && dir == filepath.Dir(dir) {
			return at, nil
		}
	}
	return Place{}, fmt.Errorf("cannot find the project root from %q: %w; name it with --root", start, err)
}

// look makes dir the root if something says so, and reports whether the search ends there.
func (p *Place) look(dir string) (done bool, err error) {
	hasFile, err := exists(filepath.Join(dir, Name))
	if err != nil {
		return false, err
	}
	inGit, err := git.IsTop(dir)
	if err != nil {
		return false, err
	}
	for _, mark := range []struct {
		is   bool
		name string
	}{{hasFile, Name}, {inGit, ".git"}} {
		path := filepath.Join(dir, mark.name)
		switch {
		case !mark.is:
		case IsTrusted(dir) && IsTrusted(path):
			*p = Place{Root: dir, HasFile: hasFile, IsOwn: true}
			return true, nil
		case dir == p.Root:
			p.HasFile, done = hasFile, true
		default:
			p.Foreign, done = path, true
		}
	}
	return done, nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil, err
}

// read returns the text of the settings file in root, nil when there is none.
func read(root string) ([]byte, error) {
	path := filepath.Join(root, Name)
	refused := fmt.Errorf("%s is not a regular file; replace it by one", path)
	file, err := openPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, refused
		}
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, refused
	}
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1)) // one more, so that Parse sees that it is too large
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	return src, nil
}
