//go:build !linux

package git

import "os/exec"

// limit does nothing: this system cannot limit another process. Time and output are limited nevertheless.
func limit(int) {}

// bind does nothing: this system cannot end a process with its parent.
func bind(*exec.Cmd) {}
