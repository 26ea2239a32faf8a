//go:build unix

package cli

import "syscall"

const nonblock = syscall.O_NONBLOCK
