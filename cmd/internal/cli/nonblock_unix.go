//go:build unix

package cli

import "syscall"

const nonblock = syscall.O_NONBLOCK

// detached returns the attributes of a process that goes on after this one.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
