//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup has what a command starts stopped with it: a helper of git that waits for a remote would
// outlive it, with all that it was given to hold.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
