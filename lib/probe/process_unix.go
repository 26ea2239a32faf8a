//go:build unix

package probe

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart gives a command a session of its own, which has no terminal, and so a process group of its own.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWith(cmd.SysProcAttr)
}

// kill kills the process group that p leads. While a member of it lives, its number is nobody else's.
func kill(p *os.Process) error {
	err := unix.Kill(-p.Pid, unix.SIGKILL)
	if err == unix.ESRCH {
		return os.ErrProcessDone
	}
	return err
}
