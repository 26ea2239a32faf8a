package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

const (
	minPrefix = 4   // the fewest hex digits of an id that Find accepts
	Newest    = "@" // stands for the newest handoff to the current operator; Find does not accept it
)

// Find returns the row of a handoff. id is an id or its first digits in upper or lower case, or a file name.
func (s *Store) Find(d *disk.Dir, id string) (index.Row, error) {
	prefix := strings.ToLower(id)
	prefix = strings.TrimPrefix(prefix, "sha256:")
	switch {
	case strings.HasSuffix(id, ".md"):
		return s.ofFile(d, id)
	case len(prefix) < minPrefix || len(prefix) > 64 || !form.IsHex(prefix):
		return index.Row{}, fault.Invalid("use 4 or more hex digits, a file name, or @",
			"%q is not an id", id)
	}
	matches, err := s.matching(d, prefix)
	switch {
	case err != nil:
		return index.Row{}, err
	case len(matches) == 0:
		return index.Row{}, UnknownID(id, s.Opt.Dir)
	case len(matches) > 1:
		ids := make([]string, 0, len(matches))
		for _, e := range matches {
			ids = append(ids, e.ID)
		}
		return index.Row{}, fault.Invalid("add more digits", "%q matches %d handoffs: %s", id,
			len(ids), fault.Some(ids))
	}
	return matches[0], nil
}

// ofFile returns the row of a file. The path is as in the index or in a receipt.
func (s *Store) ofFile(d *disk.Dir, path string) (index.Row, error) {
	dir, name := filepath.Split(filepath.Clean(filepath.FromSlash(path)))
	var rows []index.Row
	var err error
	if dir == "" || s.isNamed(dir) {
		rows, _, err = s.Scan(d, Choice{Is: func(e index.Row) bool { return e.File == name }})
	}
	if err == nil && len(rows) == 0 {
		err = UnknownID(path, s.Opt.Dir)
	}
	if err != nil {
		return index.Row{}, err
	}
	return rows[0], nil
}

// isNamed reports whether dir names the handoffs directory: as a path, or by its last names, as receipts do. Two
// projects can have files with the same names.
func (s *Store) isNamed(dir string) bool {
	if Within(s.Opt.Dir, dir) && Within(dir, s.Opt.Dir) {
		return true
	}
	const separator = string(filepath.Separator)
	for strings.HasPrefix(dir, ".."+separator) {
		dir = dir[len("..")+1:]
	}
	return dir != "" && strings.HasSuffix(s.Opt.Dir+separator, separator+dir)
}

// UnknownID returns the error for an id that no handoff of the store has.
func UnknownID(id, dir string) error {
	return fault.Invalid("run `handoff list` to see what is there",
		"no handoff %s in %s", id, dir)
}

// matching returns the rows whose id begins with prefix. It searches the bytes of the index files.
func (s *Store) matching(d *disk.Dir, prefix string) (rows []index.Row, err error) {
	at := make(map[string]int)
	err = EachIndex(d, func(name string, text []byte) error {
		if name == disk.IndexFile && index.ListsNothing(text) {
			if err := (Dirs{Store: s, Dir: d}).HasLostIndex(); err != nil {
				return err
			}
		}
		for _, row := range index.FindPrefix(text, prefix) {
			if i, again := at[row.ID]; again {
				rows[i] = rows[i].WithMark(row.Marks()...)
				continue
			}
			at[row.ID], rows = len(rows), append(rows, row)
		}
		if len(prefix) == 64 && len(rows) > 0 {
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, errArchiveLost) && len(rows) > 0 {
		err = nil
	}
	return rows, err
}
