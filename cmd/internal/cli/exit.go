package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// An Exit is a way in which a command ends.
type Exit struct {
	Code    int
	Class   error // what errors of this code wrap, nil if none do
	Name    string
	Meaning string
}

// Exits is the only table of exit codes. README and man pages are compared with it.
var Exits = []Exit{
	{0, nil, "success", "OK, also when it was already done"},
	{1, nil, "failure", "outside the contract: an I/O failure or a bug; the message says whether anything was published"},
	{2, handoff.ErrInvalid, "validation", "validation: schema, slug, time bounds, parse error, missing input file, unknown id, bad flags"},
	{3, handoff.ErrDenied, "authorization", "authorization: OPERATORS.md refuses from or to; a good signature, an approval or a terminal is required; max_hops is reached"},
	{4, handoff.ErrBusy, "concurrency", "concurrency: the lock was not obtained in time, or was removed while it was held; max_rate is reached"},
	{6, handoff.ErrIntegrity, "integrity", "integrity: another id than claimed, stored content changed, bad signature, other machine, broken chain"},
	{7, handoff.ErrConfig, "configuration", "configuration: system path, unusable directory, bad settings, no free name"},
	{10, ErrOperational, "operational", "check: OPERATIONAL, the handoff must be mended or confirmed before work is resumed"},
	{11, ErrCritical, "critical", "check: CRITICAL, there is nothing to resume from, or it was resumed before; take, release, done, resume: another has it, or it is done"},
}

// The verdicts of check and resume that are not clean.
var (
	ErrOperational = fault.New(nil, "", "the handoff is OPERATIONAL, not CLEAN")
	ErrCritical    = fault.New(nil, "", "the handoff is CRITICAL")
)

// ExitOf returns how a command ends that ended with err.
func ExitOf(err error) Exit {
	if err == nil {
		return Exits[0]
	}
	if judged := (interface {
		error
		Verdict() string
	})(nil); errors.As(err, &judged) {
		return exitNamed(judged.Verdict())
	}
	for _, e := range Exits {
		if e.Class != nil && errors.Is(err, e.Class) {
			return e
		}
	}
	return Exits[1]
}

// Verdict returns the error of a verdict of check, nil for one that is clean.
func Verdict(verdict fmt.Stringer) error { return exitNamed(verdict.String()).Class }

// exitNamed returns the exit of a verdict, that of success for one that is clean.
func exitNamed(verdict string) Exit {
	for _, e := range Exits {
		if strings.EqualFold(e.Name, verdict) {
			return e
		}
	}
	return Exits[0]
}
