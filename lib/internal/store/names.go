package store

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// IsUnseen reports whether no listed handoff is from or to name, in a store that has handoffs. near is the
// known name that was probably meant, or "" if none is similar.
func (s *Store) IsUnseen(name string) (near string, is bool) {
	near, is = s.unseen(name)[name]
	return near, is
}

// unseen returns the names for which IsUnseen is true, each with the similar name. Usually it reads only
// INDEX.md.
func (s *Store) unseen(names ...string) map[string]string {
	dir, err := s.OpenPlace(s.Opt.Dir)
	if err != nil || dir == nil {
		return nil
	}
	defer dir.Close()
	// the usual case: the journal need not be read
	if names, err = unmentioned(dir, names); err != nil || len(names) == 0 {
		return nil
	}
	d, err := s.Reader()
	if err != nil || d == nil {
		return nil
	}
	defer d.Close()
	seen := s.namesOf(d)
	found := make(map[string]string)
	for _, name := range names {
		if len(seen) > 0 && !seen[name] && name != document.Next {
			found[name] = form.Nearest(name, slices.Sorted(maps.Keys(seen)))
			if strings.EqualFold(name, document.Next) {
				found[name] = document.Next
			}
		}
	}
	return found
}

// unmentioned returns the names that are not in a cell of INDEX.md. A topic may hide a name; that is rare,
// and causes no more than a missing note.
func unmentioned(d *disk.Dir, names []string) ([]string, error) {
	f, err := openIndex(d, disk.IndexFile)
	if err != nil || f == nil {
		return names, err
	}
	defer f.Close()
	const longest = 256 // more bytes than a name and the cell borders
	err = eachPiece(f, longest, func(piece []byte) bool {
		names = slices.DeleteFunc(names, func(name string) bool {
			return bytes.Contains(piece,
				[]byte("| "+name+" |"))
		})
		return len(names) > 0
	})
	return names, err
}

// IsAlone reports whether operator is the only active one in the operators file or, without such a file, the only
// sender and recipient of all listed handoffs.
func (s *Store) IsAlone(operator string) bool {
	list, err := s.Operators()
	if err != nil || operator == "" {
		return false
	}
	if list != nil {
		return slices.Equal(list.Active(s.Opt.Now()), []string{operator})
	}
	d, err := s.Reader()
	if err != nil || d == nil {
		return false
	}
	defer d.Close()
	seen := s.namesOf(d)
	return len(seen) == 1 && seen[operator]
}

// namesOf returns all senders and recipients without document.Next, or nil if the index cannot be read.
func (s *Store) namesOf(d *disk.Dir) map[string]bool {
	quiet := &Store{Opt: s.Opt}
	quiet.Opt.Warn, quiet.Opt.Lost = func(string) {}, func(error) {}
	seen := map[string]bool{}
	rows, _, err := quiet.Scan(d, Choice{Is: func(index.Row) bool { return true }})
	for _, row := range rows {
		seen[row.From], seen[row.To] = true, true
	}
	if err != nil {
		return nil
	}
	delete(seen, document.Next)
	return seen
}

// NoteFirst warns about a name that occurs for the first time, since it may be a typo. Use it in a store
// without an operators file.
func (s *Store) NoteFirst(from, to string) {
	found := s.unseen(from, to)
	for _, name := range []string{to, from} {
		if near, is := found[name]; near != "" {
			s.Opt.Warn(name + " is new here; did you mean " + near + "?")
		} else if is && name == to {
			s.Opt.Warn(name + " is new here")
		}
	}
}
