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

// Operators returns the operators file of the project: the operators and their capabilities. It returns nil
// if there is no such file. A malformed file is ErrConfig, and so is a missing file that the settings name.
func (s *Store) Operators() (*operators.List, error) { return s.operatorsIn(s.Opt.OperatorsFile) }

// Listed is Operators for the file that lists the valid senders and recipients.
func (s *Store) Listed() (*operators.List, error) { return s.operatorsIn(s.ListedIn()) }

// ListedIn returns the path of the file that Listed reads.
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
		return nil, fault.At(path, faults[0].Line, fault.Config(
			"fix the file; `handoff operators validate` lists all faults", "%s: %s", path, faults[0]))
	}
	return list, nil
}

// OperatorsText returns the text of the operators file of the project. The error is ErrConfig if the file is
// unreadable, outside of the project, or missing although the settings name it. If there is no such file, it
// is fs.ErrNotExist.
func (s *Store) OperatorsText() ([]byte, error) { return s.operatorsText(s.Opt.OperatorsFile) }

// ListedText is OperatorsText for the file of Listed.
func (s *Store) ListedText() ([]byte, error) { return s.operatorsText(s.ListedIn()) }

func (s *Store) operatorsText(path string) ([]byte, error) {
	text, err := s.ReadPlain(path, disk.MaxOperators)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Opt.MustHaveOperators && path == s.Opt.OperatorsFile:
		err = fault.Config(
			"restore it, or remove operators_file from the settings; `handoff operators add` creates one",
			"the settings name the operators file %s, which does not exist", path)
	case err != nil && !errors.Is(err, fault.ErrConfig) && !errors.Is(err, fs.ErrNotExist):
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
