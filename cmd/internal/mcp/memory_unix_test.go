//go:build !windows

package mcp

import (
	"os"
	"runtime"
	"syscall"
)

// maxMemory returns how many bytes a process that has ended had at most.
func maxMemory(s *os.ProcessState) int64 {
	used := s.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "darwin" {
		return int64(used)
	}
	return int64(used) << 10
}
