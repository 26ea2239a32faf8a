package cli

import (
	"os/exec"
	"syscall"
)

// detach makes a command outlive this process and its console.
func detach(cmd *exec.Cmd) {
	const detachedProcess = 0x8
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess}
}
