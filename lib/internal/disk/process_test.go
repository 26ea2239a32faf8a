//go:build unix

package disk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// The test binary is also the other process: FILELOCK_TEST tells it what to do with the lock file.
func TestMain(m *testing.M) {
	switch os.Getenv("FILELOCK_TEST") {
	case "hold":
		unlock, err := acquire(context.Background(), os.Args[1], long)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin)
		unlock()
		os.Exit(0)
	case "count":
		if err := count(os.Args[1], os.Args[2], 25); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// count adds one to the number in the file name, n times, each under the lock.
func count(lock, name string, n int) error {
	for range n {
		unlock, err := acquire(context.Background(), lock, long)
		if err != nil {
			return err
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(string(old))
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(strconv.Itoa(number+1)), 0o644); err != nil {
			return err
		}
		unlock()
	}
	return nil
}

func self(mode string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "FILELOCK_TEST="+mode)
	cmd.Stderr = os.Stderr
	return cmd
}

// hold starts a process that holds the lock until release is called.
func hold(t *testing.T, path string) (process *os.Process, release func()) {
	t.Helper()
	cmd := self("hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return cmd.Process, func() {
		in.Close()
		cmd.Wait()
	}
}

func TestManyProcesses(t *testing.T) {
	const processes = 12
	dir := t.TempDir()
	path, number := filepath.Join(dir, "lock"), filepath.Join(dir, "number")
	if err := os.WriteFile(number, []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	var all []*exec.Cmd
	for range processes {
		cmd := self("count", path, number)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(number); string(got) != strconv.Itoa(25*processes) || err != nil {
		t.Errorf("counted to %s, %v", got, err)
	}
}

func TestStoppedHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	process, release := hold(t, path)
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(context.Background(), path, 50*time.Millisecond); !errors.Is(err, disk.ErrLocked) {
		t.Error(err)
	}
	if err := process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	release()
	mustAcquire(t, path)() // the wait that was given up does not keep the lock
}

func TestKilledHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	process, release := hold(t, path)
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	release()
	mustAcquire(t, path)()
}

// A process that waits for a removed file must not hold the lock together with the holder of the new file.
func TestRemovedLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	_, release := hold(t, path)
	var newReleased atomic.Bool
	result := make(chan string, 1)
	go func() {
		unlock, err := acquire(context.Background(), path, long)
		if err != nil {
			result <- err.Error()
			return
		}
		defer unlock()
		result <- strconv.FormatBool(newReleased.Load())
	}()
	time.Sleep(50 * time.Millisecond) // so that it is likely to wait by now; nothing fails if it is not
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	unlockNew := newHolder(path, result)
	release()
	time.Sleep(20 * time.Millisecond)
	newReleased.Store(true)
	unlockNew()
	if got := <-result; got != "true" && got != "first" {
		t.Errorf("the waiter got in beside the new holder: %s", got)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the waiter holds a file that has no name: %v", err)
	}
}

// newHolder takes the lock, unless the waiter was so late that it has the new file already.
func newHolder(path string, result chan string) (unlock func()) {
	unlock, err := acquire(context.Background(), path, long)
	if err != nil {
		result <- err.Error()
		return func() {}
	}
	select {
	case <-result:
		result <- "first"
	default:
	}
	return unlock
}
