package store

import (
	"bytes"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// IsStranger reports whether no handoff that is listed is from or to an operator, though there are
// some, and which name of those that occur was probably meant; "" if none is near.
func (s *Store) IsStranger(name string) (near string, is bool) {
	near, is = s.strangers(name)[name]
	return near, is
}

// strangers returns those of the names that IsStranger reports. INDEX.md is read once for all of
// them, and as a rule nothing else.
func (s *Store) strangers(names ...string) map[string]string {
	dir, err := s.OpenPlace(s.Opt.Dir)
	if err != nil || dir == nil {
		return nil
	}
	defer dir.Close()
	if names, err = unmentioned(dir, names); err != nil || len(names) == 0 { // as a rule: the journal need not be read
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
		if len(seen) > 0 && !seen[name] {
			found[name] = form.Nearest(name, slices.Sorted(maps.Keys(seen)))
		}
	}
	return found
}

// unmentioned returns those of the names that are not in INDEX.md. A topic of that name is rare, and then nothing is said.
func unmentioned(d *disk.Dir, names []string) ([]string, error) {
	f, err := openIndex(d, disk.IndexFile)
	if err != nil || f == nil {
		return names, err
	}
	defer f.Close()
	const longest = 256 // of a name with what is around it
	err = eachPiece(f, longest, func(piece []byte) bool {
		names = slices.DeleteFunc(names, func(name string) bool { return bytes.Contains(piece, []byte("| "+name+" |")) })
		return len(names) > 0
	})
	return names, err
}

// namesOf returns who hands over or is handed something, none where that cannot be told.
func (s *Store) namesOf(d *disk.Dir) map[string]bool {
	quiet := &Store{Opt: s.Opt}
	quiet.Opt.Warn, quiet.Opt.Lost = func(string) {}, func(error) {}
	seen := map[string]bool{}
	isKnown := func(line []byte) bool { // most rows bring nobody new
		return index.IsRowLike(line) && seen[AsString(index.Cell(line, 2))] && seen[AsString(index.Cell(line, 3))]
	}
	add := func(a sealed) bool {
		for _, name := range a.Names {
			seen[name] = true
		}
		return true
	}
	_, _, err := quiet.Scan(d, Choice{IsNot: isKnown, Skip: s.skipSealed(d, add), Is: func(e index.Row) bool {
		for _, known := range []string{e.From, e.To} {
			if !seen[known] {
				seen[string([]byte(known))] = true // a row is good for a moment
			}
		}
		return false
	}})
	if err != nil {
		return nil
	}
	return seen
}

// NoteFirst says where nobody lists the operators that a name occurs for the first time: it may be a slip.
func (s *Store) NoteFirst(from, to string) {
	found := s.strangers(from, to)
	near, is := found[to]
	switch {
	case is && near != "":
		s.Opt.Warn(to + " is new here; did you mean " + near + "?")
	case is:
		s.Opt.Warn(to + " is new here")
	}
	if near := found[from]; near != "" {
		s.Opt.Warn(from + " is new here; did you mean " + near + "?")
	}
}
