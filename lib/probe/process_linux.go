package probe

import "syscall"

// dieWith makes the kernel kill a process when this program dies.
func dieWith(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
