//go:build unix

package probe

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// inOwnSession starts a command in its own session, without a terminal, and thus in its own process group.
func inOwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWith(cmd.SysProcAttr)
}

// kill kills the process group of p. Its number is not reused while a member lives.
func kill(p *os.Process) error {
	err := unix.Kill(-p.Pid, unix.SIGKILL)
	if err == unix.ESRCH {
		return os.ErrProcessDone
	}
	return err
}
