//go:build linux

package disk_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// hold starts a process that holds the lock until release is called.
func hold(t *testing.T, d *disk.Dir) (process *os.Process, release func()) {
	t.Helper()
	cmd := self("hold", d)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return cmd.Process, func() {
		in.Close()
		cmd.Wait()
	}
}

// A directory where this user may not write is a matter of configuration, and a removed one no lock.
func TestLockWithoutPlace(t *testing.T) {
	d := open(t, "")
	must(t, os.Remove(d.Path()))
	_, err := d.Lock(t.Context(), "lock", long)
	wantClass(t, "a removed directory", err, os.ErrNotExist)
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	d = open(t, "")
	must(t, os.Chmod(d.Path(), 0o500))
	_, err = d.Lock(t.Context(), "lock", long)
	wantClass(t, "a directory that cannot be written", err, fault.ErrConfig)
}

// Faults are injected by the number of a call in its thread, so a free lock must cost no additional one.
func TestFreeLockIsCheap(t *testing.T) {
	const rounds = 1000
	d := open(t, "")
	mustLock(t, d)()
	runtime.GC() // starts its workers now
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	before, open := sample[0].Value.Uint64(), descriptors(t)
	for range rounds {
		unlock := mustLock(t, d)
		d.Lock(t.Context(), "lock", 0)
		unlock()
	}
	metrics.Read(sample)
	if started := sample[0].Value.Uint64() - before; started >= rounds/10 {
		t.Errorf("%d goroutines for %d locks", started, rounds)
	}
	if left := descriptors(t) - open; left != 0 {
		t.Errorf("%d descriptors are left", left)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(names)
}

// If the path leads elsewhere meanwhile, the lock there counts for nothing.
func TestMovedDirectory(t *testing.T) {
	base := t.TempDir()
	here, moved := filepath.Join(base, "here"), filepath.Join(base, "moved")
	must(t, os.Mkdir(here, 0o700))
	d := open(t, here)
	must(t, os.Rename(here, moved), os.Mkdir(here, 0o700))
	for range 2 { // without a lock file there, and with one
		_, err := d.Lock(t.Context(), "lock", 0)
		wantClass(t, "moved", err, fault.ErrBusy)
		must(t, os.WriteFile(filepath.Join(here, "lock"), nil, 0o600))
	}
}

func TestStoppedHolder(t *testing.T) {
	d := open(t, "")
	process, release := hold(t, d)
	must(t, process.Signal(syscall.SIGSTOP))
	_, err := d.Lock(t.Context(), "lock", 50*time.Millisecond)
	wantClass(t, "stopped", err, fault.ErrBusy)
	must(t, process.Signal(syscall.SIGCONT))
	release()
	mustLock(t, d)() // the wait that was given up does not keep the lock
}

func TestKilledHolder(t *testing.T) {
	d := open(t, "")
	process, release := hold(t, d)
	must(t, process.Kill())
	release()
	mustLock(t, d)()
}

// A process that waits for a removed file must not hold the lock together with the holder of the new file.
func TestRemovedLockFile(t *testing.T) {
	d := open(t, "")
	_, release := hold(t, d)
	var newReleased atomic.Bool
	result := make(chan string, 1)
	go func() {
		unlock, err := d.Lock(context.Background(), "lock", long)
		if err != nil {
			result <- err.Error()
			return
		}
		defer unlock()
		result <- strconv.FormatBool(newReleased.Load())
	}()
	time.Sleep(50 * time.Millisecond) // so that it is likely to wait by now; nothing fails if it is not
	must(t, d.Remove("lock"))
	unlockNew := mustLock(t, d)
	select {
	case <-result:
		result <- "true" // the waiter was so late that it had the new file first
	default:
	}
	release()
	time.Sleep(20 * time.Millisecond)
	newReleased.Store(true)
	unlockNew()
	if got := <-result; got != "true" {
		t.Errorf("the waiter got in beside the new holder: %s", got)
	}
	if _, err := d.Stat("lock"); err != nil {
		t.Errorf("the waiter holds a file that has no name: %v", err)
	}
}
