//go:build unix && !linux

package probe

import "syscall"

func dieWith(*syscall.SysProcAttr) {}

// sweep finds nobody: who has left the process group cannot be told from others here.
func sweep(string) bool { return true }
