//go:build unix

package handoff

import (
	"errors"
	"syscall"
)

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// retryHint says what to do before a command that the system made fail is run again.
func retryHint(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "each document of a batch is an open file until all are stored: allow more of them with `ulimit -n`, or write fewer documents at once"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk and run the command again"
	}
	return "run the command again"
}
