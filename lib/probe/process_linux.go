package probe

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieWith has a process killed when this program dies, however that happens.
func dieWith(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// sweep kills the processes that have a variable in their environment: those that left the process
// group have kept it, unless they threw that away too. It reports whether none is left.
func sweep(variable string) bool {
	for range 100 {
		if !killMarked(variable) {
			return true
		}
		time.Sleep(10 * time.Millisecond) // what is killed may have started others meanwhile
	}
	return false
}

func killMarked(variable string) (found bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile("/proc/" + name + "/environ") // none of a dead one
		if err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+variable+"\x00")) {
			found = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return found
}
