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
	minPrefix = 4   // hex digits of an id that Find accepts
	newest    = "@" // is the newest handoff to who runs the program
)

// Find returns the row of what people call a handoff: its id or the beginning of it, in any case, its
// file, or @.
func (s *Store) Find(d *disk.Dir, id string) (index.Row, error) {
	prefix := strings.ToLower(id)
	prefix = strings.TrimPrefix(prefix, "sha256:")
	switch {
	case id == newest:
		return s.newestToMe(d)
	case strings.HasSuffix(id, ".md"):
		return s.ofFile(d, id)
	case len(prefix) < minPrefix || len(prefix) > 64 || !form.IsHex(prefix):
		return index.Row{}, fault.New(fault.ErrInvalid, "give the id as `handoff list` shows it, at least its first 4 hex digits, or the file", "%q is not an id", id)
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
		return index.Row{}, fault.New(fault.ErrInvalid, "give more digits", "%q is the beginning of %d ids: %s", id,
			len(ids), fault.Some(ids))
	}
	return matches[0], nil
}

// newestToMe is what @ stands for: the newest handoff to who runs the program. Who that is must be known.
func (s *Store) newestToMe(d *disk.Dir) (index.Row, error) {
	me := ""
	if s.Opt.Me != nil {
		me = s.Opt.Me()
	}
	if me == "" {
		return index.Row{}, fault.New(fault.ErrInvalid, "use --operator NAME, set HANDOFF_OPERATOR, or run `handoff init`, which asks who you are", "%s is the newest handoff to you, and it is not known who you are", newest)
	}
	rows, _, err := s.Scan(d, Choice{Is: func(e index.Row) bool { return e.To == me }, Newest: 1})
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.ErrInvalid, "run `handoff list` to see what there is", "there is no handoff to %s", me)
	}
	if err != nil {
		return index.Row{}, err
	}
	return rows[len(rows)-1], nil
}

// ofFile returns the row of a file, named as in the index or in a receipt.
func (s *Store) ofFile(d *disk.Dir, path string) (index.Row, error) {
	dir, name := filepath.Split(filepath.Clean(filepath.FromSlash(path)))
	var rows []index.Row
	var err error
	if dir == "" || filepath.Base(dir) == filepath.Base(s.Opt.Dir) {
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

// UnknownID says that no handoff of the store has the id.
func UnknownID(id, dir string) error {
	return fault.New(fault.ErrInvalid, "run `handoff list` to see the ids", "no handoff %s in %s", id, dir)
}

// matching returns the entries whose id begins with prefix, by a byte search of the index files.
func (s *Store) matching(d *disk.Dir, prefix string) ([]index.Row, error) {
	c := newCollector(Choice{Is: func(index.Row) bool { return true }})
	err := EachIndex(d, func(name string, text []byte) error {
		if name == disk.IndexFile && index.ListsNothing(text) {
			if err := (Dirs{Store: s, Dir: d}).HasLostIndex(); err != nil {
				return err
			}
		}
		for _, row := range index.FindPrefix(text, prefix) {
			c.row(found{Row: row})
		}
		if len(prefix) == 64 && len(c.found) > 0 {
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, errArchiveLost) && len(c.found) > 0 {
		err = nil
	}
	return c.result(), err
}
