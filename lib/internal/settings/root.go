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

// A Place describes where a project is.
type Place struct {
	Root    string // absolute, without symbolic links
	HasFile bool   // Root has a file or directory .handoff.yaml
	IsOwn   bool   // the .handoff.yaml or .git in Root, and Root itself, belong to the user or root
	Foreign string // the ignored mark of another directory, which belongs to another user; "" if there is none
}

// FindRoot returns the project of start, a directory. Its root is the nearest directory with a .handoff.yaml, from
// start upward to the top of the git work tree. If there is none, it is that top, otherwise start. A .git that git
// does not accept as a repository is ignored.
//
// Above start, files of other users than the caller and root do not mark a root, and end the search. Otherwise anyone
// who can write to /tmp could choose the settings of everyone who works below it.
func FindRoot(start string) (Place, error) {
	dir, err := filepath.Abs(start)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as in git, the parents of the real path count
	}
	for at := (Place{Root: dir}); err == nil; dir = filepath.Dir(dir) {
		var done bool
		if done, err = at.look(dir); done || err == nil && dir == filepath.Dir(dir) {
			return at, nil
		}
	}
	return Place{}, fmt.Errorf("cannot find the project root from %q: %w; name it with --root", start, err)
}

// look makes dir the root if a file marks it, and reports whether the search ends.
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

// read returns the text of the settings file in root. It returns nil if there is none.
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
	// one byte more, so that Parse detects a file that is too large
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	return src, nil
}
