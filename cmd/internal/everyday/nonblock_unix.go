//go:build unix

package everyday

import "syscall"

const nonblock = syscall.O_NONBLOCK
