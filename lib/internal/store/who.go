package store

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// operatorName is a file in the directory of [Store.Outside]. It names the operator for this store alone.
const operatorName = "operator"

// Operator returns the operator for this store alone, or "" if none is set.
func (s *Store) Operator() string {
	name := strings.TrimSuffix(s.readOutside(operatorName), "\n")
	if !form.IsName(name) {
		return ""
	}
	return name
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
