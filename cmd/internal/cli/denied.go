package cli

import "github.com/seed-78daf238/handoff/lib/fault"

// Denied returns an error of the class ErrDenied, with a hint.
func Denied(hint, format string, args ...any) error {
	return fault.New(fault.ErrDenied, hint, format, args...)
}
