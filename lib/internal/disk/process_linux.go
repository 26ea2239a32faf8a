package disk

import (
	"fmt"
	"os"
	"strings"
)

// began returns the start time of a process in ticks since the start of the system (proc_pid_stat(5), field
// 22). If the process does not run, it returns "".
func began(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// the name of a program can have any character
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(after)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

func isThere(pid int) bool { return began(pid) != "" }
