package disk

import (
	"fmt"
	"strconv"
	"strings"
)

// Process returns a name for a process that no later process has, if the system knows start times. It contains the
// process number, the start time, and the process namespace of the caller.
func Process(pid int) string { return fmt.Sprintf("%d@%s@%s", pid, began(pid), namespace()) }

// Ended stands for the process of a session that has said that it ended.
const Ended = "ended"

// Runs reports whether the process of a name from Process is still running. Processes of another namespace, such as a
// container, cannot be seen: they count as running until the system starts anew.
func Runs(process string) bool {
	number, rest, _ := strings.Cut(process, "@")
	start, space, _ := strings.Cut(rest, "@")
	boot, _, _ := strings.Cut(space, "/")
	here, _, _ := strings.Cut(namespace(), "/")
	pid, err := strconv.Atoi(number)
	switch {
	case err != nil || pid <= 0 || boot != here:
		return false
	case space != namespace():
		return true
	}
	return isThere(pid) && began(pid) == start
}
