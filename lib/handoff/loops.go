package handoff

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// limitHops refuses a reply or successor if its chain without a person is too long. Documents without such references
// cost nothing. Imported documents are exempt.
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
	human := func(operator string) bool { return list.IsCapable(operator, trust.Human) }
	good := docs[:0]
	for _, d := range docs {
		if d.origin == nil && isChained(d.References) {
			if parent := facts.Unapproved(d.HandoffID, human, s.opt.MaxHops); parent != "" {
				results[d.at].Err = s.tooLongError(d, parent)
			}
		}
		if results[d.at].Err == nil {
			good = append(good, d)
		}
	}
	return good, nil
}

// tooLongError returns the error for a document beyond the limit, or nil if it is already stored.
func (s *Store) tooLongError(d admitted, parent string) error {
	if _, err := s.Find(d.HandoffID); err == nil {
		return nil
	}
	return fault.Denied("a person replies, or runs `handoff approve "+parent+
		"` on a terminal",
		"%s%d handoffs without a person: max_hops is reached",
		fault.Prefixed(d.name), s.opt.MaxHops)
}

func isChained(references []string) bool {
	set := relation.Of(references)
	return len(set.Re)+len(set.Supersedes) > 0
}

// maxRate returns how many handoffs an operator can write to another in 10 minutes, 0 for no limit. Without an
// operators file there is no limit. If the file cannot be read, the error is ErrConfig.
func (s *Store) maxRate() (int, error) {
	if s.opt.MaxRate < 0 {
		return 0, nil
	}
	_, err := s.at.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return s.opt.MaxRate, err
}
