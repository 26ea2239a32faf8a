// Package fault describes what went wrong. It has the five classes of errors that a caller can act on, errors with a
// hint for the user, and the faults of a document with their places.
//
// An error that a caller can act on wraps exactly one class. Each class is an exit code of the programs. Other
// errors, such as those of a failing disk, are outside the contract.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// The classes of errors that a caller can act on. An error wraps at most one of them. Match with errors.Is.
var (
	ErrInvalid   = errors.New("invalid input")          // the input is wrong (exit code 2)
	ErrDenied    = errors.New("not authorized")         // an operator is not allowed to do this (3)
	ErrBusy      = errors.New("busy")                   // another process holds or changed the store: try again (4)
	ErrIntegrity = errors.New("integrity fault")        // the stored data is not what was written (6)
	ErrConfig    = errors.New("unusable configuration") // a directory, the settings or the machine do not fit (7)
)

// Class returns the class that err wraps, or nil.
func Class(err error) error {
	for _, class := range []error{ErrInvalid, ErrDenied, ErrBusy, ErrIntegrity, ErrConfig} {
		if errors.Is(err, class) {
			return class
		}
	}
	return nil
}

// An Error is one sentence for the user, with its class and an optional hint.
type Error struct {
	Class   error  // one of the classes above, or nil
	Problem string // what is wrong and where: lower case, no final stop
	Advice  string // what to do next, "" if Problem suffices
	Cause   error  // the error underneath, or nil; Problem already names it

	Words string // Problem without text of others, for Plain; "" leaves only the class or the cause
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

// Sentence returns an error with what to do next, in one line.
func Sentence(err error) string {
	text := err.Error()
	if e, is := errors.AsType[*Error](err); is && e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Count formats a number with its noun: "1 row", "2 rows".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Prefixed returns the prefix of a message about the document name, "" without a name.
func Prefixed(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// Some returns the first three names, and how many more there are.
func Some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Most is the number of lines that a list of problems shows.
const Most = 10

// Lines returns a line for each of the first [Most] items, and the number of the others.
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

// andMore counts the errors that are not reported.
type andMore struct{ n int }

func (m *andMore) Error() string { return fmt.Sprintf("and %d more", m.n) }

// Join joins the errors of a list as errors.Join does. It keeps the first [Most] and counts the rest, and returns a
// single error as it is.
func Join[T any](list []T, of func(T) error) error {
	var errs []error
	for _, one := range list {
		errs = Add(errs, of(one))
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// Add appends err to errs, unless it is nil or the same as the last one. It keeps the first [Most] errors and counts
// the rest.
func Add(errs []error, err error) []error {
	switch {
	case err == nil, len(errs) > 0 && errs[len(errs)-1].Error() == err.Error():
	case len(errs) < Most:
		errs = append(errs, err)
	case len(errs) == Most:
		errs = append(errs, &andMore{1})
	default:
		errs[Most].(*andMore).n++
	}
	return errs
}

// New returns an [Error] of a class, or nil for none. Its problem is formatted as by fmt.Sprintf. The last error
// among args becomes its cause. The format is trusted. Strings in args may not be; [Plain] omits them for agents.
func New(class error, advice, format string, args ...any) error {
	var cause error
	for _, a := range args {
		if err, ok := a.(error); ok {
			cause = err
		}
	}
	return &Error{Class: class, Problem: fmt.Sprintf(format, args...), Advice: advice, Cause: cause,
		Words: plainly(format, args)}
}

// Invalid is New with the class ErrInvalid.
func Invalid(advice, format string, args ...any) error {
	return New(ErrInvalid, advice, format, args...)
}

// Denied is New with the class ErrDenied.
func Denied(advice, format string, args ...any) error { return New(ErrDenied, advice, format, args...) }

// Busy is New with the class ErrBusy.
func Busy(advice, format string, args ...any) error { return New(ErrBusy, advice, format, args...) }

// Integrity is New with the class ErrIntegrity.
func Integrity(advice, format string, args ...any) error {
	return New(ErrIntegrity, advice, format, args...)
}

// Config is New with the class ErrConfig.
func Config(advice, format string, args ...any) error { return New(ErrConfig, advice, format, args...) }

// A DocumentError lists all faults of one document. It unwraps to ErrInvalid.
type DocumentError struct {
	Name   string // the name of the document, such as a file name, or ""
	Faults []Fault
}

func (e *DocumentError) Error() string {
	return strings.Join(Lines(e.Faults, func(f Fault) string { return f.in(e.Name) }), "\n")
}

// MoveBody adds the lines before the body of a document to the faults of its body.
func (e *DocumentError) MoveBody(lines int) {
	for i := range e.Faults {
		if f := &e.Faults[i]; f.Pointer == "/body" && f.Line > 0 {
			f.Line += lines
		}
	}
}

// Unwrap returns ErrInvalid.
func (e *DocumentError) Unwrap() error { return ErrInvalid }

// An IDMismatchError reports that the id in a document is not the id of its content. It unwraps to ErrIntegrity.
type IDMismatchError struct {
	Name              string
	Claimed, Computed string
}

func (e *IDMismatchError) Error() string {
	return fmt.Sprintf("%shandoff_id is %s, but the content has the id %s", Prefixed(e.Name), e.Claimed, e.Computed)
}

// Hint returns what to do next.
func (e *IDMismatchError) Hint() string {
	return "leave handoff_id out and it is computed, or restore the content that the id was made for"
}

// Unwrap returns ErrIntegrity.
func (e *IDMismatchError) Unwrap() error { return ErrIntegrity }

// A CorruptError reports stored data that was changed. It unwraps to ErrIntegrity.
type CorruptError struct {
	File string
	Line int // 1-based, 0 for the whole file
	Why  string
}

func (e *CorruptError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
	}
	return fmt.Sprintf("%s: %s", e.File, e.Why)
}

// Hint returns what to do next.
func (e *CorruptError) Hint() string {
	return "run `handoff verify --repair`"
}

// Place returns the file and the line, 0 for the whole file.
func (e *CorruptError) Place() (file string, line int) { return e.File, e.Line }

// Unwrap returns ErrIntegrity.
func (e *CorruptError) Unwrap() error { return ErrIntegrity }

// A placed error is one with the place of its cause.
type placed struct {
	error
	file string
	line int // 1-based, 0 for the whole file
}

// At returns err with the place of its cause: a file, and a line, 0 for the whole file.
func At(file string, line int, err error) error { return &placed{err, file, line} }

// Place returns the file and the line, 0 for the whole file.
func (e *placed) Place() (file string, line int) { return e.file, e.line }

// Unwrap returns the error without its place.
func (e *placed) Unwrap() error { return e.error }
