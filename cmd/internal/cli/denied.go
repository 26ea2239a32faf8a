package cli

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func Denied(hint, format string, args ...any) error {
	return &handoff.Error{Class: handoff.ErrDenied, Problem: fmt.Sprintf(format, args...), Advice: hint}
}
