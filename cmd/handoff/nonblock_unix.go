//go:build unix

package main

import "syscall"

const nonblock = syscall.O_NONBLOCK
