package disk

import (
	"fmt"
	"strconv"
	"strings"
)

// Process returns a name for a process that no later process has, if the system knows start times.
func Process(pid int) string { return fmt.Sprintf("%d@%s", pid, began(pid)) }

// Runs reports whether the process of a name from Process is still running.
func Runs(process string) bool {
	number, start, _ := strings.Cut(process, "@")
	pid, err := strconv.Atoi(number)
	return err == nil && pid > 0 && isThere(pid) && began(pid) == start
}
