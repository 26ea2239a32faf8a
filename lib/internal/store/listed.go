package store

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A listing has the ids of the index. It is valid as long as its files have these stamps.
type listing struct {
	files  []string
	stamps string
	ids    map[form.Key]bool
}

// isListed reports whether the index lists id now. Many calls read all rows once, unless the index changes.
func (s *Store) isListed(d *disk.Dir, id string) (bool, error) {
	l := s.listed.Load()
	if l == nil || !l.isCurrent(d) {
		var err error
		if l, err = readListing(d); err != nil {
			return false, err
		}
		s.listed.Store(l)
	}
	key, _ := form.KeyOf(id)
	return l.ids[key], nil
}

// isCurrent reports whether no file of the index was replaced.
func (l *listing) isCurrent(d *disk.Dir) bool {
	now, err := stampsOf(d, l.files)
	return err == nil && now == l.stamps
}

func readListing(d *disk.Dir) (*listing, error) {
	files, err := indexNames(d)
	if err != nil {
		return nil, err
	}
	stamps, err := stampsOf(d, files) // before the files are read: one that is replaced meanwhile is read again
	if err != nil {
		return nil, err
	}
	l := &listing{files, stamps, make(map[form.Key]bool)}
	err = EachIndex(d, func(_ string, text []byte) error {
		for _, row := range index.FindPrefix(text, "") {
			key, _ := form.KeyOf(row.ID) // every row has an id
			l.ids[key] = true
		}
		return nil
	})
	if errors.Is(err, errArchiveLost) {
		err = nil
	}
	return l, err
}
