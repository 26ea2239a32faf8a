//go:build !linux

package disk

import (
	"os"
	"runtime"
	"syscall"
)

// began returns "": start times are unknown on this system, so a later process with the same number counts as
// the same.
func began(int) string { return "" }

func isThere(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || runtime.GOOS == "windows" { // FindProcess fails for a process that does not run
		return err == nil
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || os.IsPermission(err)
}

// namespace returns "": this system has one process namespace, and no name for its starts.
func namespace() string { return "" }

// Ancestors returns nothing: processes above this one cannot be seen on this system.
func Ancestors(int) (all []Ancestor, isWhole bool) { return nil, false }
