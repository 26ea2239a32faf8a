package disk

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A status is a part of proc_pid_stat(5).
type status struct {
	program string // the first 15 bytes of the name of its file
	parent  int
	start   string // in ticks since the start of the system
}

// readStatus reads the status of a process. It is zero if the process does not run.
func readStatus(pid int) (s status) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s
	}
	end := strings.LastIndexByte(string(stat), ')') // the name of a program can have any character
	_, program, _ := strings.Cut(string(stat[:end]), "(")
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return s
	}
	s.parent, _ = strconv.Atoi(fields[1])
	s.program, s.start = program, fields[19]
	return s
}

// began returns the start time of a process, "" if it does not run.
func began(pid int) string { return readStatus(pid).start }

func isThere(pid int) bool { return began(pid) != "" }

// namespace returns a name for the start of the system and the process namespace: boot/namespace.
func namespace() string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(BootID()) + "/" + strings.Trim(space, "pid:[]")
}

// initial is the process namespace of the system itself.
const initial = "/4026531836"

// Ancestors returns a process and those above it, the nearest first. It reports whether these are all: in a container
// some cannot be seen.
func Ancestors(pid int) (all []Ancestor, isWhole bool) {
	for ; pid > 0 && len(all) < 64; pid = readStatus(pid).parent {
		s := readStatus(pid)
		if s.start == "" {
			return all, false
		}
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // that of another user may be hidden
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		all = append(all, Ancestor{pid, Process(pid), s.program, args})
	}
	return all, len(all) > 0 && strings.HasSuffix(namespace(), initial)
}
