package handoff

import "github.com/seed-78daf238/handoff/lib/fault"

// The classes of errors, as package fault has them.
var (
	ErrInvalid   = fault.ErrInvalid
	ErrDenied    = fault.ErrDenied
	ErrBusy      = fault.ErrBusy
	ErrIntegrity = fault.ErrIntegrity
	ErrConfig    = fault.ErrConfig
)

// What went wrong in detail, as package fault has it.
type (
	Error           = fault.Error
	Fault           = fault.Fault
	Rules           = fault.Rules
	DocumentError   = fault.DocumentError
	IDMismatchError = fault.IDMismatchError
	CorruptError    = fault.CorruptError
)

// Count writes a number with what it counts: "1 row", "2 rows".
func Count(n int, what string) string { return fault.Count(n, what) }
