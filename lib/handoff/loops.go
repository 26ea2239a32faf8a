package handoff

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// capabilityHuman says that an operator is a person, with whom a chain of answers begins anew.
const capabilityHuman = "human"

// limitHops refuses what answers or supersedes too long a chain that no person has a part in. Most
// documents answer nothing, and cost nothing here. It does not concern what others have stored.
func (s *Store) limitHops(docs []admitted, results []Result) ([]admitted, error) {
	chained := false
	for _, d := range docs {
		chained = chained || d.origin == nil && isChained(d.References)
	}
	if !chained || s.opt.MaxHops < 0 {
		return docs, nil
	}
	list, err := s.Registry().Policy()
	if err != nil || list == nil {
		return docs, err
	}
	facts := s.life()
	for _, d := range docs {
		facts.AddDocument(d.HandoffID, d.From, d.To, d.References)
	}
	human := func(operator string) bool { return list.IsCapable(operator, capabilityHuman) }
	good := docs[:0]
	for _, d := range docs {
		if d.origin == nil && isChained(d.References) {
			if parent := facts.Unapproved(d.HandoffID, human, s.opt.MaxHops); parent != "" {
				results[d.at].Err = s.tooLong(d, parent)
			}
		}
		if results[d.at].Err == nil {
			good = append(good, d)
		}
	}
	return good, nil
}

// tooLong is the error for a document too many, unless it is stored already.
func (s *Store) tooLong(d admitted, parent string) error {
	if _, err := s.Find(d.HandoffID); err == nil {
		return nil
	}
	return fault.New(ErrDenied, "a person looks into it, and answers, or runs `handoff approve "+parent+"` on a terminal",
		"%sthe chain that it continues has %d handoffs since a person wrote, which is max_hops", store.Prefixed(d.name), s.opt.MaxHops)
}

func isChained(references []string) bool {
	for _, r := range references {
		if strings.HasPrefix(r, string(relation.Re)+":") || strings.HasPrefix(r, string(relation.Supersedes)+":") {
			return true
		}
	}
	return false
}

// maxRate returns how many handoffs one operator may write to another in 10 minutes, 0 for any number:
// without an operators file nobody is known who would. One that cannot be read is ErrConfig.
func (s *Store) maxRate() (int, error) {
	if s.opt.MaxRate < 0 {
		return 0, nil
	}
	_, err := s.Registry().PolicyText()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return s.opt.MaxRate, err
}
