package cli

import "syscall"

const nonblock = 0

func detached() *syscall.SysProcAttr {
	const detachedProcess = 8
	return &syscall.SysProcAttr{CreationFlags: detachedProcess}
}
