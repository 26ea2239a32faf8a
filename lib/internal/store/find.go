package store

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

const minPrefix = 8 // hex digits of an id that Find accepts

func (s *Store) Find(d *durable.Dir, id string) (index.Row, error) {
	prefix := strings.TrimPrefix(id, "sha256:")
	if len(prefix) < minPrefix || len(prefix) > 64 || !form.IsHex(prefix) {
		return index.Row{}, fault.New(fault.ErrInvalid, "give the id as `handoff list` shows it, or at least its first 8 hex digits", "%q is no handoff id", id)
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
		return index.Row{}, fault.New(fault.ErrInvalid, "give more digits", "%q is the beginning of %d ids: %s", id, len(ids), strings.Join(ids, ", "))
	}
	return matches[0], nil
}

func UnknownID(id, dir string) error {
	return fault.New(fault.ErrInvalid, "run `handoff list` to see the ids", "no handoff %s in %s", id, dir)
}

// matching returns the entries whose id begins with prefix, by a byte search of the index files.
func (s *Store) matching(d *durable.Dir, prefix string) ([]index.Row, error) {
	c := newCollector(Choice{Is: func(index.Row) bool { return true }})
	err := EachIndex(d, func(name string, text []byte) error {
		if name == layout.Index && index.ListsNothing(text) {
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
