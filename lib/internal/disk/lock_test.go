package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const long = 30 * time.Second

func mustLock(t testing.TB, d *disk.Dir) func() {
	t.Helper()
	unlock, err := d.Lock(context.Background(), "lock", long)
	must(t, err)
	return unlock
}

// The test binary is also the other process: LOCK_TEST tells it what to do with the lock in a directory.
func TestMain(m *testing.M) {
	do := os.Getenv("LOCK_TEST")
	if do == "" {
		goleak.VerifyTestMain(m)
	}
	if err := other(do, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// other holds the lock until its input ends, or adds one to a number 25 times.
func other(do, path string) error {
	d, err := disk.Open(path)
	if err != nil {
		return err
	}
	for range 25 {
		unlock, err := d.Lock(context.Background(), "lock", long)
		if err != nil {
			return err
		}
		if do == "hold" {
			fmt.Println("held")
			_, err := io.Copy(io.Discard, os.Stdin)
			return err
		}
		old, err := os.ReadFile(pathOf(d, "number"))
		number, failed := strconv.Atoi(string(old))
		text := []byte(strconv.Itoa(number + 1))
		if err := errors.Join(err, failed, os.WriteFile(pathOf(d, "number"), text, 0o600)); err != nil {
			return err
		}
		unlock()
	}
	return nil
}

func self(do string, d *disk.Dir) *exec.Cmd {
	cmd := exec.Command(os.Args[0], d.Path())
	cmd.Env = append(os.Environ(), "LOCK_TEST="+do)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestLockKeepsTheFile(t *testing.T) {
	d := open(t, "")
	mustLock(t, d)()
	put(t, d, "lock", "kept")
	unlock := mustLock(t, d)
	unlock()
	unlock() // no harm
	wantContent(t, d, "lock=kept")
}

func TestLockExcludes(t *testing.T) {
	d := open(t, "")
	unlock := mustLock(t, d)
	for _, wait := range []time.Duration{-1, 0, time.Millisecond, 20 * time.Millisecond} {
		_, err := d.Lock(t.Context(), "lock", wait)
		wantClass(t, wait.String(), err, fault.ErrBusy)
		if err != nil && !strings.Contains(err.Error(), pathOf(d, "lock")) {
			t.Error(err)
		}
	}
	unlock()
	mustLock(t, d)()
}

func TestLockObeysTheContext(t *testing.T) {
	d := open(t, "")
	why := errors.New("the caller has had enough")
	done, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := d.Lock(done, "lock", long)
	wantClass(t, "done before", err, why)
	defer mustLock(t, d)()
	waiting, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	_, err = d.Lock(waiting, "lock", long)
	wantClass(t, "done while it waits", err, context.DeadlineExceeded)
}

func TestManyGoroutines(t *testing.T) {
	d := open(t, "")
	var inside, most atomic.Int32
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			for range 20 {
				unlock := mustLock(t, d)
				most.Store(max(most.Load(), inside.Add(1)))
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	if running.Wait(); most.Load() != 1 {
		t.Errorf("%d were inside at once", most.Load())
	}
}

func TestManyProcesses(t *testing.T) {
	const processes = 12
	d := open(t, "")
	put(t, d, "number", "0")
	var started []*exec.Cmd
	for range processes {
		cmd := self("count", d)
		must(t, cmd.Start())
		started = append(started, cmd)
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	wantContent(t, d, "lock= number="+strconv.Itoa(25*processes))
}

func BenchmarkLock(b *testing.B) {
	d := open(b, "")
	for b.Loop() {
		mustLock(b, d)()
	}
}
