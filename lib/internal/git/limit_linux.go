package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits of a git process and its children: they process what others have published. Files that are mapped for
// reading do not count as data.
const (
	mostData = 2 << 30 // bytes of memory
	mostFile = 4 << 30 // bytes of a written file
	mostTime = 20 * 60 // seconds of CPU time
)

// limit limits a process that was just started, and the children that it already has. Later children inherit the
// limits. If a process cannot be limited, it has ended.
func limit(pid int) {
	limits := map[int]uint64{unix.RLIMIT_DATA: mostData, unix.RLIMIT_FSIZE: mostFile, unix.RLIMIT_CPU: mostTime}
	for what, most := range limits {
		var is unix.Rlimit
		if unix.Prlimit(pid, what, nil, &is) == nil && is.Max > most {
			_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: min(is.Cur, most), Max: most}, nil)
		}
	}
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks)
	for _, thread := range threads {
		text, _ := os.ReadFile(filepath.Join(tasks, thread.Name(), "children"))
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				limit(child)
			}
		}
	}
}
