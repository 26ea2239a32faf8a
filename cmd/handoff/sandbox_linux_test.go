package main

import (
	"os"
	"runtime"
	"unsafe"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// hasLandlock reports whether the kernel has Landlock, with renames between directories.
func hasLandlock() bool {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && abi >= 2
}

// sandboxed runs a command that can write to the current directory alone, and compares its exit code: sandboxed N COMMAND…. It is as in the sandboxes
// of agents, where access(2) says that one could write elsewhere too. Landlock is for a thread and its children.
func sandboxed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sandboxed N COMMAND ARG…")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never given back, so that the thread ends with its sandbox
		err := restrict(ts.MkAbs("."))
		if err == nil {
			err = ts.Exec(args[1], args[2:]...)
		}
		done <- err
	}()
	compareExit(ts, args[0], <-done)
}

// restrict lets this thread read everything, and write to one directory.
func restrict(dir string) error {
	const all = unix.LANDLOCK_ACCESS_FS_REFER<<1 - 1
	rules := unix.LandlockRulesetAttr{Handled_access_fs: all}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules.Handled_access_fs), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	const read = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	for path, access := range map[string]uint64{"/": read, "/dev": read | unix.LANDLOCK_ACCESS_FS_WRITE_FILE, dir: all} {
		at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(at)
		rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(at)}
		if _, _, errno = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return os.NewSyscallError("landlock_add_rule", errno)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
