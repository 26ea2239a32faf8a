package cli

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Denied returns an error of the class ErrDenied, with a hint.
func Denied(hint, format string, args ...any) error {
	return &handoff.Error{Class: handoff.ErrDenied, Problem: fmt.Sprintf(format, args...), Advice: hint}
}
