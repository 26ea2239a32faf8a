package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Exit is an exit code and its meaning.
type Exit struct {
	Code    int
	Class   error // the class that errors with this code wrap, nil for none
	Name    string
	Meaning string
}

// Exits is the only table of exit codes. README and man pages are compared with it.
var Exits = []Exit{
	{0, nil, "success", "done, even if it was done before"},
	{1, nil, "failure", "failure: an I/O error or a bug; the message says whether anything was stored"},
	{2, handoff.ErrInvalid, "validation",
		"validation: bad flags, syntax, schema, name or time; missing file; unknown id"},
	{3, handoff.ErrDenied, "authorization",
		"authorization: OPERATORS.md refuses an operator; a signature or terminal is missing"},
	{4, handoff.ErrBusy, "concurrency",
		"concurrency: another process is writing; the lock file was removed"},
	{6, handoff.ErrIntegrity, "integrity",
		"integrity: wrong id, changed content, bad signature, another machine, broken hash chain"},
	{7, handoff.ErrConfig, "configuration",
		"configuration: system path, unusable directory, bad settings, no free file name"},
	{10, ErrOperational, "operational", "check: OPERATIONAL, fix or confirm the handoff before you continue"},
	{11, ErrCritical, "critical", "check: CRITICAL, do not continue; take, release, done, resume, sync: taken, " +
		"done or resumed before"},
}

// The verdicts of check and resume other than CLEAN.
var (
	ErrOperational = fault.New(nil, "", "the handoff is OPERATIONAL, not CLEAN")
	ErrCritical    = fault.New(nil, "", "the handoff is CRITICAL")
)

// ExitOf returns the exit of a command that returned err.
func ExitOf(err error) Exit {
	if err == nil {
		return Exits[0]
	}
	if judged, is := errors.AsType[interface {
		error
		Verdict() string
	}](err); is {
		return exitNamed(judged.Verdict())
	}
	for _, e := range Exits {
		if e.Class != nil && errors.Is(err, e.Class) {
			return e
		}
	}
	return Exits[1]
}

// Verdict returns a verdict of check as an error, nil for CLEAN.
func Verdict(verdict fmt.Stringer) error { return exitNamed(verdict.String()).Class }

// exitNamed returns the exit of a verdict. It is success for CLEAN.
func exitNamed(verdict string) Exit {
	for _, e := range Exits {
		if strings.EqualFold(e.Name, verdict) {
			return e
		}
	}
	return Exits[0]
}
