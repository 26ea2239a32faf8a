package store

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

// Operators returns the operators file of the project: the operators and their capabilities. It returns nil
// if there is no such file. A malformed file is ErrConfig.
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
		return nil, fault.At(s.Opt.OperatorsFile, faults[0].Line, fault.Config(
			"fix the file; `handoff operators validate` lists all faults", "%s: %s", s.Opt.OperatorsFile, faults[0]))
	}
	return list, nil
}

// OperatorsText returns the text of the operators file of the project. The error is ErrConfig if the file is
// unreadable or outside of the project. If there is no such file, it is fs.ErrNotExist.
func (s *Store) OperatorsText() ([]byte, error) {
	text, err := s.ReadPlain(s.Opt.OperatorsFile, disk.MaxOperators)
	if err != nil && !errors.Is(err, fault.ErrConfig) && !errors.Is(err, fs.ErrNotExist) {
		err = fault.Config("", "cannot read the operators file: %v", err)
	}
	return text, err
}

// ParseOperators parses an operators file and returns all its faults.
func ParseOperators(text []byte) (*operators.List, []fault.Fault) {
	head, _, bad := document.Split(text)
	if bad != nil {
		return nil, []fault.Fault{*bad}
	}
	return operators.Parse(head, 2)
}
