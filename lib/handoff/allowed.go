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
