package store

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A listing has the ids of the index. It is valid as long as the index files have these stamps.
type listing struct {
	stamps string
	ids    map[form.Key]bool
}

// isListed reports whether the index lists id now. Many calls read all rows once, unless the index changes.
func (s *Store) isListed(d *disk.Dir, id string) (bool, error) {
	stamps, err := IndexStamps(d) // before the files are read, so that a file that is replaced meanwhile is read again
	l := s.listed.Load()
	if err == nil && (l == nil || l.stamps != stamps) {
		l = &listing{stamps, make(map[form.Key]bool)}
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
	}
	if err != nil {
		return false, err
	}
	s.listed.Store(l)
	key, _ := form.KeyOf(id)
	return l.ids[key], nil
}
