package store

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

// Operators returns the operators file, nil if there is none. A file that cannot be used is ErrConfig.
func (s *Store) Operators() (*operators.List, error) {
	text, err := s.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, faults := ParseOperators(text)
	if len(faults) > 0 {
		return nil, fault.New(fault.ErrConfig, "mend the file; `handoff operators validate` shows every fault",
			"%s: %s", s.Opt.OperatorsFile, faults[0])
	}
	return list, nil
}

// OperatorsText returns the text of the operators file. One that cannot be read, or that lies outside
// the project and was not named, is ErrConfig, one that does not exist fs.ErrNotExist.
func (s *Store) OperatorsText() ([]byte, error) {
	text, err := s.ReadPlain(s.Opt.OperatorsFile, layout.MaxOperators)
	if err != nil && !errors.Is(err, fault.ErrConfig) && !errors.Is(err, fs.ErrNotExist) {
		err = fault.New(fault.ErrConfig, "", "cannot read the operators file: %v", err)
	}
	return text, err
}

// ParseOperators reads the text of an operators file and returns every fault of it.
func ParseOperators(text []byte) (*operators.List, []fault.Fault) {
	head, _, bad := document.Split(text)
	if bad != nil {
		return nil, []fault.Fault{*bad}
	}
	return operators.Parse(head, 2)
}
