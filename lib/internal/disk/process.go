package disk

import (
	"fmt"
	"strconv"
	"strings"
)

// Process returns a name for a process that no later process has, if the system knows start times. It contains the
// process number, the start time, and the process namespace of the caller.
func Process(pid int) string { return fmt.Sprintf("%d@%s@%s", pid, began(pid), namespace()) }

// An Ancestor is a process above another one.
type Ancestor struct {
	PID     int
	Process string   // its name, as of Process
	Program string   // the name of its program, at most 15 bytes
	Args    []string // its command line
}

// IsGone reports whether the process of a name from Process has ended. It is false for a process that cannot be seen,
// such as one of a container, until the system starts anew.
func IsGone(process string) bool {
	known, runs := look(process)
	return known && !runs
}

// IsAlive reports whether the process of a name from Process is seen to run.
func IsAlive(process string) bool {
	known, runs := look(process)
	return known && runs
}

func look(process string) (known, runs bool) {
	number, rest, _ := strings.Cut(process, "@")
	start, space, _ := strings.Cut(rest, "@")
	boot, _, _ := strings.Cut(space, "/")
	here := namespace()
	hereBoot, hereSpace, _ := strings.Cut(here, "/")
	pid, err := strconv.Atoi(number)
	switch {
	case err != nil || pid <= 0 || here != "" && (hereBoot == "" || hereSpace == ""):
		return false, false
	case boot != hereBoot:
		return true, false
	case space != here:
		return false, false
	}
	return true, isThere(pid) && began(pid) == start
}
