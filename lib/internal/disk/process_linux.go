package disk

import (
	"fmt"
	"os"
	"strings"
)

// began returns when a process began, in ticks since the machine did, "" if it does not run
// (proc_pid_stat(5), field 22).
func began(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ") // a name may hold anything
	fields := strings.Fields(after)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

func isThere(pid int) bool { return began(pid) != "" }
