//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup stops the children of a command together with it. Otherwise they would survive.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
