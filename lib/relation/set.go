package relation

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Set is what the references of one document say together.
type Set struct {
	Re, Supersedes []string // ids, each once
	Expires        string   // the earliest, "" if there is none
	Approval       bool     // it is required

	Git, Files []Form
	Probes     []string

	Malformed []*MalformedError
}

// Of reads the references of a document.
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
	case Probe:
		s.Probes = once(s.Probes, f.Probe)
	case Approve:
		s.Approval = true
	}
}

// IsID reports whether s is a whole id.
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

// IsExpired reports whether the time of Expires has come.
func (s Set) IsExpired(now time.Time) bool {
	at, ok := form.Instant(s.Expires)
	return ok && !now.Before(at)
}
