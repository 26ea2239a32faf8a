//go:build unix

package journal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// readAll returns the content of a journal as text: one line for the checkpoint and for each record. It reads
// what readers read: the first head, the last one, and the tails.
func readAll(b *bench, key journal.Key) (lines []string, err error) {
	j, err := journal.Open(b.state, key, false)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if first, last := j.First(), j.Last(); first.Log.Offset > last.Log.End() || first.Ledger.Offset > last.Ledger.End() {
		b.Errorf("the log begins at %d and ends at %d, the ledger at %d and %d", first.Log.Offset, last.Log.End(), first.Ledger.Offset, last.Ledger.End())
	}
	s, err := j.Story()
	if err != nil {
		return nil, err
	}
	log, ledger := s.Tails()
	state := make(map[string]journal.Text)
	for name, text := range s.State {
		state[name] = *text
	}
	lines = append(lines, fmt.Sprintf("%+v %s %s %v %q %q %v", head(j.First()), s.Table, s.Was, state, s.LogTail, s.LedgerTail, log.Offset+ledger.Offset))
	for n, r := range s.Records {
		one, err := j.Record(n + 1)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%+v %+v %+v", head(&r.Head), content(r), head(&one.Head)))
	}
	if want := head(j.Last()); len(s.Records) > 0 && head(&s.Records[len(s.Records)-1].Head) != want {
		b.Errorf("the last head is %+v, of the last record %+v", want, s.Records[len(s.Records)-1].Head)
	}
	return lines, nil
}

// isBeginning fails the test unless a damaged journal is refused, or has the beginning of the intact one.
// upTo is the first record that must be missing.
func isBeginning(t *testing.T, b *bench, whole []string, what string, upTo int) (refused bool) {
	t.Helper()
	lines, err := readAll(b, aKey)
	switch {
	case errors.Is(err, fault.ErrIntegrity):
		if errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %q", what, err)
		}
		return true
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case len(lines) > upTo && upTo < len(whole):
		t.Errorf("%s: %d lines are read, of which %d are good", what, len(lines), upTo)
	case !slices.Equal(lines, whole[:min(len(lines), len(whole))]) || len(lines) == 0:
		t.Errorf("%s: it says\n%s\nwant\n%s", what, strings.Join(lines, "\n"), strings.Join(whole, "\n"))
	}
	return false
}

// places returns the offsets of the checkpoint and the records.
func (b *bench) places() (starts, ends []int64) {
	b.Helper()
	s := b.story()
	start, end := s.Checkpoint.Place()
	starts, ends = append(starts, start), append(ends, end)
	for _, r := range s.Records {
		start, end := r.Place()
		starts, ends = append(starts, start), append(ends, end)
	}
	return starts, ends
}

// stride is how far the next byte is that a test damages: each one where HANDOFF_FAULTS is all, and else some.
func stride() int64 {
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		return 1
	}
	return 1 + rand.Int64N(9)
}

// One flipped bit is always found, or has no meaning.
func TestEachBit(t *testing.T) {
	b := smallBench(t)
	whole, err := readAll(b, aKey)
	if err != nil || len(whole) != 4 {
		t.Fatal(whole, err)
	}
	starts, ends := b.places()
	good := b.bytes()
	f, err := os.OpenFile(b.file(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put := func(c byte, at int64) {
		if _, err := f.WriteAt([]byte{c}, at); err != nil {
			t.Fatal(err)
		}
	}
	refused, cut := 0, 0
	for n := range starts {
		for at := starts[n]; at < ends[n]; at += stride() {
			for bit := range 8 {
				put(good[at]^1<<bit, at)
				if isBeginning(t, b, whole, fmt.Sprintf("record %d, byte %d, bit %d", n, at-starts[n], bit), n) {
					refused++
				} else {
					cut++
				}
				if t.Failed() {
					t.FailNow()
				}
			}
			put(good[at], at)
		}
		for at := ends[n]; at < (ends[n]+journal.Page-1)/journal.Page*journal.Page; at += 97 { // what lies between the records says nothing
			put(1, at)
			if isBeginning(t, b, whole, fmt.Sprint("gap at ", at), 4) {
				t.Errorf("a byte behind record %d at %d makes the journal none", n, at)
			}
			put(0, at)
		}
	}
	if refused == 0 || cut == 0 {
		t.Errorf("%d bits were refused, %d ended the journal", refused, cut)
	}
	if again, err := readAll(b, aKey); err != nil || !slices.Equal(again, whole) {
		t.Errorf("what was put back is read as %v, %v", again, err)
	}
}

// A journal that is cut ends before the lost record. So does one with zeros, or any other bytes, from there
// on.
func TestEachCut(t *testing.T) {
	b := smallBench(t)
	whole, err := readAll(b, aKey)
	if err != nil {
		t.Fatal(err)
	}
	starts, ends := b.places()
	good := b.bytes()[:5*journal.Page] // of the zeros there are many
	for _, how := range []struct {
		name string
		tail func(n int) []byte
	}{{"cut", func(int) []byte { return nil }}, {"zeros", func(n int) []byte { return make([]byte, n) }},
		{"noise", func(n int) []byte { return bytes.Repeat([]byte("handoffR"), n/8+1)[:n] }}} {
		var at []int64
		for n := range starts {
			for i := starts[n]; i < ends[n]; i += stride() {
				at = append(at, i)
			}
			at = append(at, ends[n])
		}
		for _, size := range append(at, int64(len(good))) {
			text := slices.Concat(good[:size], how.tail(len(good)-int(size)))
			left := 0 // how many are whole
			for left < len(ends) && int(ends[left]) <= len(text) && bytes.Equal(text[starts[left]:ends[left]], good[starts[left]:ends[left]]) {
				left++
			}
			what := fmt.Sprintf("%s at %d", how.name, size)
			b.write(text)
			if refused := isBeginning(t, b, whole, what, left); refused != (left == 0) {
				t.Errorf("%s: %d are whole, refused is %v", what, left, refused)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// A record of another journal is refused: of an older time, of another chain, of another store.
func TestPartsOfOthers(t *testing.T) {
	b, other := smallBench(t), newBench(t)
	whole, err := readAll(b, aKey)
	if err != nil {
		t.Fatal(err)
	}
	c, records := small()
	c.LogTail = []byte("LOG\n") // one letter is another
	other.begin(c)
	other.append(records...).Close()
	starts, ends := b.places()
	good, theirs := b.bytes(), other.bytes()
	for n := range starts {
		text := bytes.Clone(good)
		copy(text[starts[n]:ends[n]], theirs[starts[n]:ends[n]])
		b.write(text)
		if n == 0 {
			lines, err := readAll(b, aKey) // it is one of this store, and the records continue another
			if err != nil || len(lines) != 1 {
				t.Errorf("the checkpoint of another: %v, %v", lines, err)
			}
			continue
		}
		isBeginning(t, b, whole, fmt.Sprint("record ", n, " of another"), n)
	}
	for _, order := range [][]int{{0, 2}, {0, 1, 3}, {0, 1, 1, 2}, {0, 2, 1}, {1, 2, 3}, {0, 0}} {
		text := make([]byte, len(good))
		for i, n := range order {
			copy(text[i*journal.Page:], good[starts[n]:ends[n]])
		}
		b.write(text)
		isBeginning(t, b, whole, fmt.Sprint("order ", order), 2)
	}
}

func TestJournalOfAnotherStore(t *testing.T) {
	b := smallBench(t)
	for name, key := range map[string]journal.Key{
		"another store": journal.NewKey([]byte("the secret of a user"), "another store"),
		"another user":  journal.NewKey([]byte("the secret of another"), "a store"),
		"no key":        {},
	} {
		_, err := readAll(b, key)
		if !errors.Is(err, journal.ErrKey) || !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := journal.Open(b.state, key, true); !errors.Is(err, journal.ErrKey) {
			t.Errorf("%s, to write: %v", name, err)
		}
		if hint := (*fault.Error)(nil); !errors.As(err, &hint) || !strings.Contains(hint.Advice, "machine-fingerprint regenerate") {
			t.Errorf("%s: the hint is %v", name, hint)
		}
	}
	// With only the id of the key it is damage: the zero key proves nothing either.
	for name, key := range map[string]journal.Key{"ours": aKey, "none": {}} {
		text := b.bytes()
		forged := newBench(t)
		id := make([]byte, 8)
		if name == "ours" {
			copy(id, text[24:])
		}
		d, err := journal.Begin(forged.state, journal.NewKey([]byte("forged"), "a store"))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Finish(&journal.Checkpoint{Table: table(row(9))}); err != nil {
			t.Fatal(err)
		}
		d.Close()
		text = forged.bytes()
		copy(text[24:], id)
		forged.write(text)
		if lines, err := readAll(forged, key); !errors.Is(err, fault.ErrIntegrity) || errors.Is(err, journal.ErrKey) {
			t.Errorf("forged with %s: %v, %v", name, lines, err)
		}
	}
}

// Heads with huge sizes must not cost memory or time.
func TestSizesThatAreLies(t *testing.T) {
	const huge = 10 << 30
	b := smallBench(t)
	whole, err := readAll(b, aKey)
	if err != nil {
		t.Fatal(err)
	}
	good := b.bytes()
	starts, _ := b.places()
	sparse := func(text []byte) {
		b.write(text)
		if err := os.Truncate(b.file(), huge); errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.ENOSPC) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		make func(text []byte)
		left int
	}{
		{"nothing but zeros", func(text []byte) { clear(text) }, 0},
		{"good, and longer", func([]byte) {}, 4},
		{"the checkpoint", func(text []byte) { binary.BigEndian.PutUint64(text[16:], huge-344) }, 0},
		{"a record", func(text []byte) { binary.BigEndian.PutUint64(text[starts[2]+16:], huge-uint64(starts[2])-344) }, 2},
		{"longer than the file", func(text []byte) { binary.BigEndian.PutUint64(text[starts[2]+16:], huge) }, 2},
		{"longer than any", func(text []byte) { binary.BigEndian.PutUint64(text[starts[3]+16:], 1<<63) }, 3},
		{"all of them", func(text []byte) {
			for _, at := range starts {
				binary.BigEndian.PutUint64(text[at+16:], 5<<30)
			}
		}, 0},
	} {
		text := bytes.Clone(good)
		tt.make(text)
		sparse(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused := isBeginning(t, b, whole, tt.name, tt.left)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: it took %d MB of memory", tt.name, used>>20)
		}
		if tt.left == 0 != refused {
			t.Errorf("%s: refused is %v", tt.name, refused)
		}
	}
}

// An entry that is not a plain file with one name is refused at once, in one sentence.
func TestWhatIsNoFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
	}{
		{"a FIFO", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a directory", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"a link", func(path string) error { return os.Symlink("other", path) }},
		{"a link to nothing", func(path string) error { return os.Symlink("nothing", path) }},
		{"a link to itself", func(path string) error { return os.Symlink(journal.FileName, path) }},
		{"a device", func(path string) error { return os.Symlink("/dev/zero", path) }},
		{"empty", func(path string) error { return os.WriteFile(path, nil, 0o600) }},
		{"short", func(path string) error { return os.WriteFile(path, []byte("handoffC"), 0o600) }},
		{"zeros", func(path string) error { return os.WriteFile(path, make([]byte, 2<<20), 0o600) }},
		{"text", func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("a line\n"), 10000), 0o600) }},
	} {
		b := smallBench(t)
		if err := os.Rename(b.file(), filepath.Join(b.path, "other")); err != nil {
			t.Fatal(err)
		}
		if err := tt.make(b.file()); err != nil {
			t.Fatal(err)
		}
		for _, write := range []bool{false, true} {
			_, err := journal.Open(b.state, aKey, write)
			if !errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), b.file()) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
	if os.Geteuid() == 0 {
		return
	}
	b := smallBench(t)
	if err := os.Chmod(b.file(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(b.state, aKey, false); !errors.Is(err, fs.ErrPermission) || errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("unreadable: %v", err)
	}
}
