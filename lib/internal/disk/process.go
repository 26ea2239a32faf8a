package disk

import (
	"fmt"
	"strconv"
	"strings"
)

// Process names a process so that no later one has its name, as far as the system says when it began.
func Process(pid int) string { return fmt.Sprintf("%d@%s", pid, began(pid)) }

// Runs reports whether a process that Process named runs still.
func Runs(process string) bool {
	number, start, _ := strings.Cut(process, "@")
	pid, err := strconv.Atoi(number)
	return err == nil && pid > 0 && isThere(pid) && began(pid) == start
}
