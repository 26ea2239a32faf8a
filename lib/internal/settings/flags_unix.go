//go:build unix

package settings

import "syscall"

// A symbolic link may lead out of the project, and opening a FIFO would wait for a writer.
const openFlags = syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY
