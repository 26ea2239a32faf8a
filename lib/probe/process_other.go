//go:build unix && !linux

package probe

import "syscall"

func dieWith(*syscall.SysProcAttr) {}
