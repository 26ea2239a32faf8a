package probe

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieWith makes the kernel kill a process when this program dies.
func dieWith(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// sweep kills the processes with a variable in their environment. Processes that left the process group keep it,
// unless they clear it. sweep reports whether none is left.
func sweep(variable string) bool {
	for range 100 {
		if !killMarked(variable) {
			return true
		}
		time.Sleep(10 * time.Millisecond) // a killed process may have started others meanwhile
	}
	return false
}

func killMarked(variable string) (found bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // the names read before an error count
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile("/proc/" + name + "/environ") // a dead process has none
		if err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+variable+"\x00")) {
			found = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return found
}
