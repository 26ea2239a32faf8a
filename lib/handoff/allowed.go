package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// rules returns the rules of the project for its operators.
func (s *Store) rules() trust.Rules {
	r := trust.Rules{Path: s.opt.OperatorsFile, Off: s.opt.Operators.Off, Now: s.opt.Now()}
	if s.opt.Operators.Warn {
		r.Warn = s.opt.Warn
	}
	r.List, r.Broken = s.Registry().Policy()
	return r
}

// A Judge decides which actions and marks of other stores count here. It uses the operators file as it
// was when the judge was made.
type Judge = trust.Judge

// Judge returns a judge of what other stores report.
func (x Exchange) Judge() Judge { return trust.NewJudge(x.s.rules()) }
