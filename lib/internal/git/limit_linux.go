package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// How much a git, and what it starts, may have: what others have published decides how much that is. Files
// that are mapped to be read do not count as data.
const (
	mostData = 2 << 30 // bytes of memory
	mostFile = 4 << 30 // bytes of a file that is written
	mostTime = 20 * 60 // seconds of a processor
)

// limit bounds a process that has just begun, and what it has started already: what it starts from now on has
// its limits. One that cannot be bounded has ended.
func limit(pid int) {
	limits := map[int]uint64{unix.RLIMIT_DATA: mostData, unix.RLIMIT_FSIZE: mostFile, unix.RLIMIT_CPU: mostTime}
	for what, most := range limits {
		var is unix.Rlimit
		if unix.Prlimit(pid, what, nil, &is) == nil && is.Max > most {
			_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: min(is.Cur, most), Max: most}, nil)
		}
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				limit(child)
			}
		}
	}
}
