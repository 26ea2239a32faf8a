package store

import (
	"bytes"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// IsStranger reports whether no handoff that is listed is from or to an operator, though there are
// some, and which name of those that occur was probably meant; "" if none is near.
func (s *Store) IsStranger(name string) (near string, is bool) {
	d, err := s.Reader()
	if err != nil || d == nil {
		return "", false
	}
	defer d.Close()
	if newest, err := ReadIndex(d, layout.Index); err != nil || bytes.Contains(newest, []byte("| "+name+" |")) {
		return "", false // a topic of that name is rare, and then nothing is said
	}
	quiet := *s
	quiet.Opt.Warn, quiet.Opt.Lost = func(string) {}, func(error) {}
	seen := map[string]bool{}
	_, _, err = quiet.Scan(d, Choice{Is: func(e index.Row) bool {
		for _, known := range []string{e.From, e.To} {
			if !seen[known] {
				seen[string([]byte(known))] = true // a row is good for a moment
			}
		}
		return false
	}})
	if err != nil || len(seen) == 0 || seen[name] {
		return "", false
	}
	return form.Nearest(name, slices.Sorted(maps.Keys(seen))), true
}

// NoteFirst says where nobody lists the operators that a name occurs for the first time: it may be a slip.
func (s *Store) NoteFirst(from, to string) {
	near, is := s.IsStranger(to)
	switch {
	case is && near != "":
		s.Opt.Warn("first handoff to " + to + "; did you mean " + near + "?")
	case is:
		s.Opt.Warn("first handoff to " + to)
	}
	if near, is := s.IsStranger(from); is && near != "" {
		s.Opt.Warn("first handoff from " + from + "; did you mean " + near + "?")
	}
}
