package main

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// exitCodes is the only table of exit codes. README and man pages are compared with it.
var exitCodes = []struct {
	code    int
	class   error // what errors of this code wrap, nil if none do
	meaning string
}{
	{0, nil, "OK, also when it was already done"},
	{1, nil, "outside the contract: an I/O failure or a bug; the message says whether anything was published"},
	{2, handoff.ErrInvalid, "validation: schema, slug, time bounds, parse error, missing input file, unknown id, bad flags"},
	{3, handoff.ErrDenied, "authorization: OPERATORS.md refuses from or to"},
	{4, handoff.ErrBusy, "concurrency: the lock was not obtained in time, or was removed while it was held; INDEX.md was changed meanwhile"},
	{6, handoff.ErrIntegrity, "integrity: another id than claimed, stored content changed, other machine, broken chain"},
	{7, handoff.ErrConfig, "configuration: system path, unusable directory, bad settings, no free name"},
	{10, errOperational, "check: OPERATIONAL, the handoff must be mended or confirmed before work is resumed"},
	{11, errCritical, "check: CRITICAL, there is nothing to resume from, or it was resumed before"},
}

// The verdicts of check and resume that are not clean.
var (
	errOperational = errors.New("the handoff is OPERATIONAL, not CLEAN")
	errCritical    = errors.New("the handoff is CRITICAL")
)

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	for _, e := range exitCodes {
		if e.class != nil && errors.Is(err, e.class) {
			return e.code
		}
	}
	return 1
}
