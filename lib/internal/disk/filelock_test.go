//go:build unix

package disk_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const long = 30 * time.Second

// acquire locks the file at path.
func acquire(ctx context.Context, path string, timeout time.Duration) (unlock func(), err error) {
	return disk.AcquireLock(ctx, file(path, path), timeout)
}

// file returns the lock file at path, which the caller sees at another path.
func file(path, seen string) disk.LockFile {
	return disk.LockFile{
		Path: path,
		Make: func() error {
			f, err := os.OpenFile(seen, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, os.ErrExist) {
				return nil
			}
			if err == nil {
				err = f.Close()
			}
			return err
		},
		Inode: func() (uint64, error) {
			info, err := os.Lstat(seen)
			if err != nil {
				return 0, err
			}
			return info.Sys().(*syscall.Stat_t).Ino, nil
		},
	}
}

func mustAcquire(t testing.TB, path string) func() {
	t.Helper()
	unlock, err := acquire(context.Background(), path, long)
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

func TestAcquireCreatesAndKeepsTheFile(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), "lock")
	mustAcquire(t, path)()
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o640 || info.Size() != 0 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("kept"), 0); err != nil {
		t.Fatal(err)
	}
	unlock := mustAcquire(t, path)
	unlock()
	unlock() // no harm
	if text, err := os.ReadFile(path); string(text) != "kept" || err != nil {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestAcquireExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock := mustAcquire(t, path)
	for _, timeout := range []time.Duration{-1, 0, time.Millisecond, 20 * time.Millisecond} {
		if _, err := acquire(context.Background(), path, timeout); !errors.Is(err, disk.ErrLocked) {
			t.Errorf("timeout %v: %v", timeout, err)
		}
	}
	unlock()
	mustAcquire(t, path)()
}

func TestAcquireFails(t *testing.T) {
	_, err := acquire(context.Background(), filepath.Join(t.TempDir(), "missing", "lock"), long)
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, disk.ErrLocked) || errors.Is(err, disk.ErrUnsafeLock) {
		t.Error(err)
	}
}

func TestAcquireObeysTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	why := errors.New("the caller has had enough")
	done, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := acquire(done, path, long); !errors.Is(err, why) {
		t.Error(err)
	}
	defer mustAcquire(t, path)()
	waiting, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop()
	if _, err := acquire(waiting, path, long); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAcquireRefusesUnsafeFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink("target", path) },
		"dangling link": func(path string) error { return os.Symlink("missing", path) },
		"fifo":          func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o755) },
		"socket":        listen,
	} {
		dir := t.TempDir()
		path, target := filepath.Join(dir, "lock"), filepath.Join(dir, "target")
		if err := os.WriteFile(target, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(name, err)
		}
		if _, err := acquire(context.Background(), path, long); !errors.Is(err, disk.ErrUnsafeLock) {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(target); string(text) != "precious" || err != nil {
			t.Errorf("%s: the target holds %q, %v", name, text, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "missing")); err == nil {
			t.Errorf("%s: made the target of a link", name)
		}
	}
	if _, err := acquire(context.Background(), os.DevNull, long); !errors.Is(err, disk.ErrUnsafeLock) {
		t.Errorf("device: %v", err)
	}
}

// listen leaves a socket at path, relative so that the name fits into its address.
func listen(path string) error {
	short := filepath.Join(os.TempDir(), "s"+strconv.Itoa(os.Getpid()))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return os.Rename(short, path)
}

func TestManyGoroutines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				unlock := mustAcquire(t, path)
				most.Store(max(most.Load(), inside.Add(1)))
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d were inside at once", most.Load())
	}
}

// Faults are injected by the number of a call in its thread, so a free lock must cost no additional one.
func TestFreeLockStartsNoGoroutine(t *testing.T) {
	const rounds = 1000
	path := filepath.Join(t.TempDir(), "lock")
	mustAcquire(t, path)()
	runtime.GC() // starts its workers now
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	for range rounds {
		mustAcquire(t, path)()
	}
	metrics.Read(sample)
	if started := sample[0].Value.Uint64() - before; started >= rounds/10 {
		t.Errorf("%d goroutines for %d locks", started, rounds)
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts /proc/self/fd")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	mustAcquire(t, path)()
	before := descriptors(t)
	for range 20 {
		unlock := mustAcquire(t, path)
		acquire(context.Background(), path, 0)
		unlock()
		acquire(context.Background(), dir, 0)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	defer mustAcquire(t, path)()
	_, err := acquire(context.Background(), path, 0)
	if err == nil || !strings.Contains(err.Error(), strconv.Quote(path)) {
		t.Error(err)
	}
}

// If path leads elsewhere meanwhile, nothing is locked, and nothing is created there.
func TestMovedDirectory(t *testing.T) {
	base := t.TempDir()
	path, seen := filepath.Join(base, "elsewhere", "lock"), filepath.Join(base, "moved", "lock")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.Mkdir(filepath.Dir(seen), 0o755)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // without a lock file there, and with one
		if _, err := disk.AcquireLock(t.Context(), file(path, seen), 0); !errors.Is(err, disk.ErrLocked) {
			t.Error(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkFree(b *testing.B) {
	path := filepath.Join(b.TempDir(), "lock")
	for b.Loop() {
		mustAcquire(b, path)()
	}
}
