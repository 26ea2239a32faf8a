// Package memory lets tests of a package that sync many files work in memory, where a sync costs nothing. What a sync
// is for is tested in cmd/handoff/faults.
package memory

import (
	"os"
	"os/exec"
	"syscall"
)

// variable is in the environment of tests whose directory for temporary files is in memory already.
const variable = "HANDOFF_TEST_IN_MEMORY"

// Begin starts the tests again in a mount namespace where the directory for temporary files is in memory. The caller
// calls end after the tests. If the user may not do that, nothing changes. The memory is free as soon as the last
// process of the tests has ended, however it ends.
func Begin() (end func()) {
	if dir := os.Getenv(variable); dir != "" {
		return func() {
			_ = exec.Command("umount", "-l", dir).Run()
			_ = os.Remove(dir)
		}
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Geteuid() != 0 {
		return func() {}
	}
	dir, err := os.MkdirTemp("", "handoff-memory-")
	if err != nil {
		return func() {}
	}
	env := append(os.Environ(), "TMPDIR="+dir, variable+"="+dir)
	args := []string{"unshare", "-m", "sh", "-c", `mount -t tmpfs -o mode=700 handoff-tests "$TMPDIR" && exec "$@"`, "sh"}
	try := exec.Command(unshare, append(args[1:], "true")...)
	try.Env = env
	if program, err := os.Executable(); err == nil && try.Run() == nil {
		_ = syscall.Exec(unshare, append(append(args, program), os.Args[1:]...), env) // does not return
	}
	_ = os.Remove(dir)
	return func() {}
}
