package relation

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Set is the combined meaning of a document's references.
type Set struct {
	Re, Supersedes []string // ids, without duplicates
	Expires        string   // the earliest time, or ""

	Git, Files []Form

	Malformed []*MalformedError
}

// Of parses the references of a document. Malformed ones have no effect.
func Of(references []string) (s Set) {
	for _, reference := range references {
		f, err := Parse(reference)
		if err != nil {
			s.Malformed = append(s.Malformed, err.(*MalformedError))
			continue
		}
		s.add(f)
	}
	return s
}

func (s *Set) add(f Form) {
	switch f.Kind {
	case Re:
		s.Re = once(s.Re, f.ID)
	case Supersedes:
		s.Supersedes = once(s.Supersedes, f.ID)
	case Expires:
		if s.Expires == "" || isBefore(f.Time, s.Expires) {
			s.Expires = f.Time
		}
	case Git:
		s.Git = append(s.Git, f)
	case File:
		s.Files = append(s.Files, f)
	}
}

// IsID reports whether s is a full id.
func IsID(s string) bool { return form.IsID(s) }

func once(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

func isBefore(a, b string) bool {
	at, _ := form.Instant(a)
	other, _ := form.Instant(b)
	return at.Before(other)
}

// IsExpired reports whether the time in Expires has come.
func (s Set) IsExpired(now time.Time) bool {
	at, ok := form.Instant(s.Expires)
	return ok && !now.Before(at)
}
