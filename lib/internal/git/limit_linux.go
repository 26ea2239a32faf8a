package git

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// limit limits a process that was just started, and the children that it will have: it reads what others have
// published. One that cannot be limited has lower limits, or has ended.
func limit(pid int) {
	for what, most := range map[int]uint64{unix.RLIMIT_DATA: 2 << 30, unix.RLIMIT_FSIZE: 4 << 30} {
		_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}

// bind lets a command end with this process: a git that outlives a killed one would disturb the next in its repository.
func bind(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
