//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// apart runs a command without the terminal of its parent, so that nobody asks there, and stops its children together
// with it. Otherwise they would survive.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
