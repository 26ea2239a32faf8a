package store

import (
	"encoding/hex"
	"errors"
	"iter"
	"maps"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A listing has the ids of the index. It is valid as long as the index files have these stamps.
type listing struct {
	stamps map[string]string
	ids    map[[32]byte]bool
}

// isListed reports whether the index lists id now. Many calls read the index once, unless it changes.
func (s *Store) isListed(d *disk.Dir, id string) (bool, error) {
	l := s.listed.Load()
	if l == nil || !l.isCurrent(d) {
		var err error
		if l, err = readListing(d); err != nil {
			return false, err
		}
		s.listed.Store(l)
	}
	return l.ids[digest(id)], nil
}

// isCurrent reports whether no index file was replaced. A new archive is linked in INDEX.md, so INDEX.md
// changes too.
func (l *listing) isCurrent(d *disk.Dir) bool {
	now, err := stampsOf(d, maps.Keys(l.stamps))
	return err == nil && maps.Equal(now, l.stamps)
}

func readListing(d *disk.Dir) (*listing, error) {
	names := map[string]bool{disk.IndexFile: true}
	text, err := ReadIndex(d, disk.IndexFile)
	if err == nil {
		err = index.EachArchive(index.Archives(AsString(text)), HasIndex(d), func(name string) error {
			names[name] = true
			return nil
		})
	}
	l := &listing{ids: make(map[[32]byte]bool, index.Count(text))}
	if err == nil {
		// before the files are read, so that a file that is replaced meanwhile is read again
		l.stamps, err = stampsOf(d, maps.Keys(names))
	}
	if err == nil {
		err = EachIndex(d, func(_ string, text []byte) error {
			for _, row := range index.FindPrefix(text, "") {
				l.ids[digest(row.ID)] = true
			}
			return nil
		})
	}
	if errors.Is(err, errArchiveLost) {
		err = nil
	}
	return l, err
}

func stampsOf(d *disk.Dir, names iter.Seq[string]) (map[string]string, error) {
	stamps := make(map[string]string)
	for name := range names {
		stamp, _, err := d.Stamp(name)
		if err != nil {
			return nil, err
		}
		stamps[name] = stamp
	}
	return stamps, nil
}

// digest returns the bytes of an id.
func digest(id string) (sum [32]byte) {
	_, _ = hex.Decode(sum[:], []byte(strings.TrimPrefix(id, "sha256:"))) // the ids of rows are well-formed
	return sum
}
