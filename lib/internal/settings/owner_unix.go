//go:build unix

package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// StateFor returns the user's state directory for a project. If root works in a project of another user, it is that
// of the owner, so that both have one pin.
func (u User) StateFor(root string) string {
	if os.Geteuid() != 0 {
		return u.State
	}
	info, err := os.Stat(root)
	if err != nil {
		return u.State
	}
	uid := info.Sys().(*syscall.Stat_t).Uid
	if uid == 0 {
		return u.State
	}
	home := homeOf(uid)
	if _, err := os.Stat(home); err != nil { // system users have none
		return ""
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "handoff")
	}
	return filepath.Join(home, ".local", "state", "handoff")
}

// homeOf returns the home directory of a user in passwd(5), "" if it has none.
func homeOf(uid uint32) string {
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == strconv.FormatUint(uint64(uid), 10) && filepath.IsAbs(fields[5]) {
			return filepath.Clean(fields[5])
		}
	}
	return ""
}
