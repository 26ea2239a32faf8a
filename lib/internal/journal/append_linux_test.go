package journal_test

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// failing runs do on a thread on which a system call fails with EIO. The thread ends afterwards.
func failing(t *testing.T, call uint32, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
			{Code: unix.BPF_RET | unix.BPF_K, K: 0x00050000 | uint32(unix.EIO)}, // SECCOMP_RET_ERRNO
			{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000},                    // SECCOMP_RET_ALLOW
		}
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		t.Skip("calls cannot be made to fail here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// limited runs do while no file may exceed a number of bytes.
func limited(t *testing.T, most int64, do func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old unix.Rlimit // of the process: these tests do not run beside others
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(most), Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
	}()
	do()
}

// A record that could not be written or synced does not exist for later readers. Its writer writes no other
// record.
func TestRecordIsTakenBack(t *testing.T) {
	type append func(t *testing.T, j *journal.Journal, r *journal.Record) error
	by := func(call uint32) append {
		return func(t *testing.T, j *journal.Journal, r *journal.Record) (err error) {
			failing(t, call, func() { err = j.Append(r, nil) })
			return err
		}
	}
	at := func(more int64) append {
		return func(t *testing.T, j *journal.Journal, r *journal.Record) (err error) {
			_, end := j.Last().Place()
			next := (end + journal.Page - 1) / journal.Page * journal.Page
			limited(t, next+more, func() { err = j.Append(r, nil) })
			return err
		}
	}
	readOnly := func(t *testing.T, j *journal.Journal, r *journal.Record) error {
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		if err := unix.Dup3(int(null.Fd()), int(j.Descriptor()), unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		return j.Append(r, nil)
	}
	for _, tt := range []struct {
		name   string
		append append
		cause  error
	}{
		{"the sync fails", by(unix.SYS_FDATASYNC), unix.EIO},
		{"the write fails", by(unix.SYS_PWRITE64), unix.EIO},
		{"no room at all", at(0), unix.EFBIG},
		{"room for a letter", at(1), unix.EFBIG},
		{"room for the magic", at(8), unix.EFBIG},
		{"room for half a head", at(100), unix.EFBIG},
		{"room for all of a head but a byte", at(journal.HeadSize - 1), unix.EFBIG},
		{"room for the head", at(journal.HeadSize), unix.EFBIG},
		{"room for a page", at(journal.Page), unix.EFBIG},
		{"room for all but some bytes", at(2*journal.Page + 500), unix.EFBIG},
		{"the descriptor is another", readOnly, unix.EBADF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := smallBench(t)
			whole, err := readAll(b, aKey)
			if err != nil {
				t.Fatal(err)
			}
			j := b.open(true)
			lost := &journal.Record{Op: "lost", LogText: bytes.Repeat([]byte("l"), 3*journal.Page), Added: []index.Row{row(8)}}
			if err := tt.append(t, j, lost); !errors.Is(err, tt.cause) {
				t.Fatalf("the error is %v, want %v", err, tt.cause)
			}
			if j.Records() != 3 || !j.IsFull() {
				t.Errorf("%d records, full: %v", j.Records(), j.IsFull())
			}
			if lines, err := readAll(b, aKey); err != nil || !slices.Equal(lines, whole) {
				t.Errorf("afterwards it says %v, %v", lines, err)
			}
			if err := j.Append(&journal.Record{Op: "next"}, nil); err == nil {
				t.Error("it takes another record")
			}
			// A new opener can write, and the lost record does not return.
			next := &journal.Record{Op: "next", LogText: []byte("next\n")}
			if again := b.append(next); again.Records() != 4 {
				t.Errorf("%d records", again.Records())
			}
			s := b.story()
			if len(s.Records) != 4 || s.Records[3].Op != "next" || bytes.Contains(s.Text(), []byte(row(8).ID)) || s.Records[3].Number != whole3(s)+1 {
				t.Errorf("the story is %+v", s)
			}
		})
	}
}

// whole3 is the number of the third record.
func whole3(s *journal.Story) uint64 { return s.Records[2].Number }

// A journal that could not be made leaves the old one, and its draft as a sign for the next process.
func TestDraftThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		finish func(t *testing.T, do func())
	}{
		{"the sync fails", func(t *testing.T, do func()) { failing(t, unix.SYS_FSYNC, do) }},
		{"the write fails", func(t *testing.T, do func()) { failing(t, unix.SYS_PWRITE64, do) }},
		{"the rename fails", func(t *testing.T, do func()) { failing(t, unix.SYS_RENAMEAT, do) }},
		{"there is no room", func(t *testing.T, do func()) { limited(t, 1<<19, do) }},
	} {
		b := smallBench(t)
		whole, err := readAll(b, aKey)
		if err != nil {
			t.Fatal(err)
		}
		d, err := journal.Begin(b.state, aKey)
		if err != nil || d.Found {
			t.Fatal(err, d.Found)
		}
		tt.finish(t, func() { err = d.Finish(&journal.Checkpoint{Table: table(row(7))}) })
		d.Close()
		if err == nil {
			t.Errorf("%s: no error", tt.name)
		}
		if lines, err := readAll(b, aKey); err != nil || !slices.Equal(lines, whole) {
			t.Errorf("%s: it says %v, %v", tt.name, lines, err)
		}
		if d, err = journal.Begin(b.state, aKey); err != nil || !d.Found {
			t.Fatalf("%s: found is %v, %v", tt.name, d.Found, err)
		}
		if err := d.Finish(&journal.Checkpoint{Table: table(row(7))}); err != nil {
			t.Error(err)
		}
		d.Close()
		if s := b.story(); len(s.Records) != 0 || !bytes.Equal(s.Text(), table(row(7))) {
			t.Errorf("%s: then it says %s", tt.name, s.Text())
		}
	}
}

// A spool is on the disk before the record that refers to it. If the spool cannot be synced, there is no
// record, and the spool is removed.
func TestSpoolThatCannotBe(t *testing.T) {
	large := bytes.Repeat([]byte("l"), 3<<20)
	for _, tt := range []struct {
		name string
		fail func(t *testing.T, do func())
	}{
		{"the sync fails", func(t *testing.T, do func()) { failing(t, unix.SYS_FSYNC, do) }},
		{"the write fails", func(t *testing.T, do func()) { failing(t, unix.SYS_PWRITE64, do) }},
		{"there is no room", func(t *testing.T, do func()) { limited(t, 2<<20, do) }},
	} {
		b := smallBench(t)
		j := b.open(true)
		var err error
		tt.fail(t, func() { err = j.Append(&journal.Record{Op: "large", LogText: large}, nil) })
		if err == nil || j.Records() != 3 || j.IsFull() {
			t.Errorf("%s: %v, %d records, full: %v", tt.name, err, j.Records(), j.IsFull())
		}
		if left := b.spools(); len(left) > 0 {
			t.Errorf("%s: %v are left", tt.name, left)
		}
		tt.fail(t, func() { // and one that the caller has made
			spool, serr := journal.NewSpool(b.state)
			if serr != nil {
				err = serr
				return
			}
			defer spool.Close()
			var text journal.Text
			if text, err = spool.Add(large); err == nil {
				err = j.Append(&journal.Record{Op: "large", New: []journal.File{{Text: text}}}, spool)
			}
		})
		if left := b.spools(); err == nil || len(left) > 0 || b.open(false).Records() != 3 {
			t.Errorf("%s: %v, and %v are left", tt.name, err, left)
		}
		if err := j.Append(&journal.Record{Op: "small"}, nil); err != nil {
			t.Errorf("%s: then a small one: %v", tt.name, err)
		}
	}
}

// On a read-only file system, the journal can be read and synced.
func TestReadOnlyDescriptor(t *testing.T) {
	b := smallBench(t)
	j := b.open(false)
	if err := j.Sync(); err != nil {
		t.Errorf("sync: %v", err)
	}
	before := b.bytes()
	if err := j.Append(&journal.Record{Op: "x"}, nil); err == nil || !bytes.Equal(before, b.bytes()) {
		t.Errorf("append: %v", err)
	}
}
