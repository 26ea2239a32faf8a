// Package fault holds what every package may say about what went wrong: the five classes of errors
// that a caller can act on, sentences with a hint for the person who has to, and the faults of a
// document with their places.
//
// An error that a caller can act on wraps exactly one class; each class is an exit code of the programs.
// Everything else lies outside the contract.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// The classes of errors that a caller can act on. An error wraps exactly one of them, or none if it lies
// outside the contract, such as a failing disk. Match with errors.Is.
var (
	ErrInvalid   = errors.New("invalid input")          // the input is wrong: mend it (exit code 2)
	ErrDenied    = errors.New("not authorized")         // OPERATORS.md refuses from or to (3)
	ErrBusy      = errors.New("busy")                   // somebody else holds or changed the store: try again (4)
	ErrIntegrity = errors.New("integrity fault")        // what is stored is not what was written (6)
	ErrConfig    = errors.New("unusable configuration") // directory, settings or machine unfit (7)
)

// Class returns the class that an error wraps, nil for one that lies outside the contract.
func Class(err error) error {
	for _, class := range []error{ErrInvalid, ErrDenied, ErrBusy, ErrIntegrity, ErrConfig} {
		if errors.Is(err, class) {
			return class
		}
	}
	return nil
}

// An Error is a sentence for the person who has to act, with its class and, if it helps, a hint.
type Error struct {
	Class   error  // one of the classes above, or nil
	Problem string // what is wrong and where: lower case, no final stop
	Advice  string // what to do next, "" if the problem says it
	Cause   error  // the error underneath, or nil; Problem already names it

	plain string // the problem without what it quotes
}

func (e *Error) Error() string { return e.Problem }

// Unwrap returns the class and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Class, e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// Hint returns what to do next, or "".
func (e *Error) Hint() string { return e.Advice }

// Count writes a number with what it counts: "1 row", "2 rows".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Some names as many of a list as a sentence has room for.
func Some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Most is how many lines of a list of problems anybody reads at once.
const Most = 10

// Lines returns a line for each of a list, for the first [Most] of them, and then how many more there are.
func Lines[T any](list []T, line func(T) string) []string {
	lines := make([]string, min(len(list), Most))
	for i := range lines {
		lines[i] = line(list[i])
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// mostSaid is how many errors of one command anybody reads.
const mostSaid = 1000

// andMore counts the errors that are not said.
type andMore struct{ n int }

func (m *andMore) Error() string { return fmt.Sprintf("and %d more", m.n) }

// Add adds an error to those of a command. Of very many the first are kept, and the others counted; nil is no
// error.
func Add(errs []error, err error) []error {
	switch {
	case err == nil:
	case len(errs) < mostSaid:
		errs = append(errs, err)
	case len(errs) == mostSaid:
		errs = append(errs, &andMore{1})
	default:
		errs[mostSaid].(*andMore).n++
	}
	return errs
}

// New returns an [Error] of a class, nil for none, whose problem is formatted as by fmt.Sprintf. An
// error among args becomes its cause. What is written into the format is ours; a text among args may
// be somebody else's, and is left out where agents are told ([Plain]).
func New(class error, advice, format string, args ...any) error {
	var cause error
	for _, a := range args {
		if err, ok := a.(error); ok {
			cause = err
		}
	}
	return &Error{Class: class, Problem: fmt.Sprintf(format, args...), Advice: advice, Cause: cause, plain: plainly(format, args)}
}

// A DocumentError lists everything that is wrong with one document. It unwraps to ErrInvalid.
type DocumentError struct {
	Name   string // what the caller called the document, such as a file name; "" if nothing
	Faults []Fault
}

func (e *DocumentError) Error() string {
	prefix := ""
	if e.Name != "" {
		prefix = e.Name + ": "
	}
	return strings.Join(Lines(e.Faults, func(f Fault) string { return prefix + f.String() }), "\n")
}

// Unwrap returns ErrInvalid.
func (e *DocumentError) Unwrap() error { return ErrInvalid }

// An IDMismatchError says that a document claims another id than its content has. It unwraps to ErrIntegrity.
type IDMismatchError struct {
	Name              string
	Claimed, Computed string
}

func (e *IDMismatchError) Error() string {
	prefix := ""
	if e.Name != "" {
		prefix = e.Name + ": "
	}
	return fmt.Sprintf("%shandoff_id is %s, but the content has the id %s", prefix, e.Claimed, e.Computed)
}

// Hint says what to do next.
func (e *IDMismatchError) Hint() string {
	return "leave handoff_id out and it is computed, or restore the content that the id was made for"
}

// Unwrap returns ErrIntegrity.
func (e *IDMismatchError) Unwrap() error { return ErrIntegrity }

// A CorruptError says that something stored is not as it was written. It unwraps to ErrIntegrity.
type CorruptError struct {
	File string
	Line int // 1-based, 0 when the whole file is meant
	Why  string
}

func (e *CorruptError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
	}
	return fmt.Sprintf("%s: %s", e.File, e.Why)
}

// Hint says what to do next.
func (e *CorruptError) Hint() string {
	return "run `handoff doctor` to see what is wrong and how to mend it; nothing was changed"
}

// Unwrap returns ErrIntegrity.
func (e *CorruptError) Unwrap() error { return ErrIntegrity }
