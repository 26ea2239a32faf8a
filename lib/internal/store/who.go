package store

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// operatorName is a file in the directory of [Store.Outside]. It names the operator for this store alone.
const operatorName = "operator"

// Operator returns the operator for this store alone, or "" if none is set. The error is a temporary one of the
// system.
func (s *Store) Operator() (string, error) {
	text, err := s.readOutside(operatorName, disk.MaxStateFile)
	name := strings.TrimSuffix(string(text), "\n")
	if err != nil || !form.IsName(name) {
		return "", passing(err)
	}
	return name, nil
}

// SetOperator sets the operator for this store alone.
func (s *Store) SetOperator(name string) error {
	d, err := s.Outside()
	if err != nil {
		return err
	}
	defer d.Close()
	return d.ReplaceNow(operatorName, []byte(name+"\n"), 0o600)
}
