package handoff

import "github.com/seed-78daf238/handoff/lib/fault"

// The classes of errors. An error that a caller can act on wraps exactly one of them.
var (
	ErrInvalid   = fault.ErrInvalid   // the input is wrong
	ErrDenied    = fault.ErrDenied    // an operator is not allowed to do this
	ErrBusy      = fault.ErrBusy      // another process holds or changed the store
	ErrIntegrity = fault.ErrIntegrity // the stored data is not what was written
	ErrConfig    = fault.ErrConfig    // a directory, the settings or the machine do not fit
)

// The types of errors that have details.
type (
	// An Error is a problem with a hint. Class is one of the classes, or nil. Problem is one sentence without a final
	// stop. Advice, also returned by Hint, suggests what to do next. Cause is the error underneath, or nil.
	Error = fault.Error
	// A Fault is one problem in a document. Line and Column are its place, or 0. Pointer is its RFC 6901 pointer.
	// Problem explains it. Hint suggests a fix.
	Fault = fault.Fault
	// Rules check a JSON-like value and return all faults, sorted by pointer.
	Rules = fault.Rules
	// A DocumentError lists all faults of a document. Name is the name of the document, Faults are its faults. It
	// unwraps to ErrInvalid.
	DocumentError = fault.DocumentError
	// An IDMismatchError reports that the id in a document, Claimed, is not the id of its content, Computed. Name is
	// the name of the document. It unwraps to ErrIntegrity.
	IDMismatchError = fault.IDMismatchError
	// A CorruptError reports stored data that was changed. File and Line are its place; Line is 0 for the whole file.
	// Why explains it. It unwraps to ErrIntegrity.
	CorruptError = fault.CorruptError
)

// Count formats a number with its noun: "1 row", "2 rows".
func Count(n int, what string) string { return fault.Count(n, what) }
