package store

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

// Operators returns the operators file of the project: the operators and what each may do. It is nil without one. A
// file that cannot be used is ErrConfig, and so is one that is missing although the settings name it.
func (s *Store) Operators() (*operators.List, error) { return s.operatorsIn(s.Opt.OperatorsFile) }

// Listed is Operators for the file that says who may be named in from and to.
func (s *Store) Listed() (*operators.List, error) { return s.operatorsIn(s.ListedIn()) }

// ListedIn is the path of the file of Listed.
func (s *Store) ListedIn() string { return cmp.Or(s.Opt.ListedIn, s.Opt.OperatorsFile) }

func (s *Store) operatorsIn(path string) (*operators.List, error) {
	text, err := s.operatorsText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, faults := ParseOperators(text)
	if len(faults) > 0 {
		return nil, fault.New(fault.ErrConfig, "mend the file; `handoff operators validate` shows every fault",
			"%s: %s", path, faults[0])
	}
	return list, nil
}

// OperatorsText returns the text of the operators file of the project. One that cannot be read, that the
// settings name and that is missing, or that lies outside the project, is ErrConfig, one that does not exist
// fs.ErrNotExist.
func (s *Store) OperatorsText() ([]byte, error) { return s.operatorsText(s.Opt.OperatorsFile) }

// ListedText is OperatorsText for the file of Listed.
func (s *Store) ListedText() ([]byte, error) { return s.operatorsText(s.ListedIn()) }

func (s *Store) operatorsText(path string) ([]byte, error) {
	text, err := s.ReadPlain(path, disk.MaxOperators)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Opt.MustHaveOperators && path == s.Opt.OperatorsFile:
		err = fault.New(fault.ErrConfig,
			"bring it back, or take operators_file out of the settings; `handoff operators add` begins one",
			"the settings name the operators file %s, which does not exist", path)
	case err != nil && !errors.Is(err, fault.ErrConfig) && !errors.Is(err, fs.ErrNotExist):
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
