package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

var now = time.Date(2026, 11, 29, 14, 5, 0, 0, time.UTC)

func mark(operator string) log.Pending {
	return log.Pending{Type: log.MarkRead, Payload: log.Payload{ID: "sha256:" + strings.Repeat("a", 64), Operator: operator,
		Time: log.Stamp(now)}}
}

// fileOf returns an open file with a text.
func fileOf(t testing.TB, text []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), log.FileName)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func textOf(t testing.TB, f *os.File) []byte {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// logOf returns a log with changes of so many lines, and the points after them.
func logOf(t testing.TB, sizes ...int) (*os.File, []log.Point) {
	t.Helper()
	f := fileOf(t, nil)
	l, err := log.Open(f, log.Point{}, noKeep)
	if err != nil {
		t.Fatal(err)
	}
	points := []log.Point{l.Head()}
	for i, size := range sizes {
		var events []log.Pending
		for k := range size {
			events = append(events, mark(fmt.Sprintf("o%d-%d", i, k)))
		}
		if _, err := l.Append(now, events); err != nil {
			t.Fatal(err)
		}
		points = append(points, l.Head())
	}
	return f, points
}

// operators returns who the complete changes of a log are about.
func operators(f *os.File, from log.Point) (all []string, head log.Point, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, head, err
	}
	head, err = log.Read(f, info.Size(), from, func(change []log.Event) {
		for _, e := range change {
			all = append(all, e.Payload.Operator)
		}
	})
	return all, head, err
}

var wantAll = []string{"o0-0", "o1-0", "o1-1", "o1-2", "o2-0"}

func TestReadFromEachPoint(t *testing.T) {
	f, points := logOf(t, 1, 3, 1)
	for i, from := range points {
		got, head, err := operators(f, from)
		if want := wantAll[[]int{0, 1, 4, 5}[i]:]; err != nil || !slices.Equal(got, want) || head != points[3] {
			t.Errorf("from point %d: %v, %v, %v; want %v", i, got, head, err, want)
		}
		if again, ok := log.ParsePoint(from.String()); !ok || again != from {
			t.Errorf("%v is read as %v", from, again)
		}
	}
	other := points[1]
	other.Hash = points[2].Hash
	if _, _, err := operators(f, other); !errors.Is(err, log.ErrOther) {
		t.Errorf("a point of another log: %v", err)
	}
}

// Whatever a crash leaves of the last change, the log goes on as if it had not been made, or as if it had.
func TestEachTornEnd(t *testing.T) {
	whole, points := logOf(t, 1, 2)
	text := textOf(t, whole)
	for size := range len(text) + 1 {
		end := make([]byte, size%5) // a file system may leave zeros
		if size == len(text) {
			end = nil
		}
		f := fileOf(t, slices.Concat(text[:size], end))
		var want []string
		pin := log.Point{}
		switch {
		case size == len(text):
			want, pin = wantAll[:3], points[2]
		case int64(size) >= points[1].Offset:
			want, pin = wantAll[:1], points[1]
		}
		if size%2 == 0 {
			pin = log.Point{}
		}
		l, err := log.Open(f, pin, noKeep)
		if err != nil {
			t.Fatalf("%d bytes, pin %v: %v", size, pin, err)
		}
		if _, err := l.Append(now, []log.Pending{mark("next")}); err != nil {
			t.Fatal(err)
		}
		want = append(slices.Clone(want), "next")
		if got, head, err := operators(f, log.Start); err != nil || !slices.Equal(got, want) || head != l.Head() {
			t.Fatalf("%d bytes: %v, %v; want %v", size, got, err, want)
		}
	}
}

// A flipped bit is found, or it has no meaning. In the last change, and the newline before it, who pinned it finds it.
func TestEachFlip(t *testing.T) {
	whole, points := logOf(t, 1, 3, 1)
	text := textOf(t, whole)
	for i := range text {
		flipped := slices.Clone(text)
		flipped[i] ^= 1 << (i % 8)
		var got []string
		_, err := log.Read(bytes.NewReader(flipped), int64(len(flipped)), log.Start, func(change []log.Event) {
			for _, e := range change {
				got = append(got, e.Payload.Operator)
			}
		})
		if int64(i) >= points[2].Offset-1 {
			_, err = log.Open(fileOf(t, flipped), points[3], noKeep)
		}
		if !errors.Is(err, fault.ErrIntegrity) && !slices.Equal(got, wantAll) {
			t.Fatalf("byte %d: %v, %v", i, got, err)
		}
	}
}

func TestDamageIsNotTorn(t *testing.T) {
	whole, points := logOf(t, 1, 3, 1)
	text := textOf(t, whole)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for name, damaged := range map[string][]byte{
		"a hole before the last change": slices.Concat(lines[0], lines[1], make([]byte, 40), []byte("\n"), lines[4]),
		"a line of a batch is missing":  slices.Concat(lines[0], lines[1], lines[3], lines[4]),
		"the first line is missing":     slices.Concat(lines[1], lines[2], lines[3], lines[4]),
	} {
		f := fileOf(t, damaged)
		_, head, err := operators(f, log.Start)
		if d := (*log.Damage)(nil); !errors.As(err, &d) || d.At != head {
			t.Errorf("%s: read: %v at %v", name, err, head)
		}
		if _, err := log.Open(f, log.Point{}, noKeep); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: opened: %v", name, err)
		}
		if !bytes.Equal(textOf(t, f), damaged) {
			t.Errorf("%s: a damaged log was changed", name)
		}
	}
	for name, older := range map[string][]byte{"older": text[:points[2].Offset], "empty": nil, "begun anew": func() []byte {
		f, _ := logOf(t, 2, 2, 2)
		return textOf(t, f)
	}()} {
		if _, err := log.Open(fileOf(t, older), points[3], noKeep); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: the pinned line is gone: %v", name, err)
		}
	}
}

// Other tools add markers and signatures, and do not write the canonical form.
func TestLinesOfOtherTools(t *testing.T) {
	f, points := logOf(t, 1)
	hash := points[1].Hash
	foreign := fmt.Sprintf("[ROTATED]\n{\"ts_utc\": \"2026-11-29T15:00:00Z\", \"signature\": \"x\", \"signing_key_id\": \"k\", \"primitive_id\": \"L6\","+
		" \"schema_version\": \"1.1.0\", \"redaction_applied\": null, \"event_type\": \"their.event\", \"payload\": {\"handoff_id\": 7},"+
		" \"prev_hash\": %q}\n[MARKER]\n", hash)
	f = fileOf(t, append(textOf(t, f), foreign...))
	l, err := log.Open(f, log.Point{}, noKeep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(now, []log.Pending{mark("next")}); err != nil {
		t.Fatal(err)
	}
	got, _, err := operators(f, log.Start)
	if want := []string{"o0-0", "", "next"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if !strings.Contains(string(textOf(t, f)), foreign) {
		t.Error("lines of other tools were changed")
	}
}

// The exchanged line leaves out what belongs to this clone.
func TestExchangedLine(t *testing.T) {
	f := fileOf(t, nil)
	l, err := log.Open(f, log.Point{}, noKeep)
	if err != nil {
		t.Fatal(err)
	}
	received := mark("ben")
	received.Payload.Here = &log.Here{Log: "t-aa"}
	for _, change := range [][]log.Pending{{mark("ben")}, {received, mark("ann")}} {
		if _, err := l.Append(now, change); err != nil {
			t.Fatal(err)
		}
	}
	var events []log.Event
	if _, err := log.Read(f, l.Head().Offset, log.Start, func(change []log.Event) { events = append(events, change...) }); err != nil {
		t.Fatal(err)
	}
	want := `{"event_type":"handoff.mark_read","payload":{"handoff_id":"sha256:` + strings.Repeat("a", 64) +
		`","operator_id":"ben","ts_utc":"2026-11-29T14:05:00.000000Z"}}`
	if got := string(events[0].Line()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if events[0].ID() != events[1].ID() || events[1].ID() == events[2].ID() || len(events[0].ID()) != 64 {
		t.Errorf("ids %s, %s, %s", events[0].ID(), events[1].ID(), events[2].ID())
	}
}

func TestAppendTakesBackWhatFails(t *testing.T) {
	f, points := logOf(t, 1)
	readOnly, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	l, err := log.Open(readOnly, points[1], noKeep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(now, []log.Pending{mark("never")}); err == nil || fault.Class(err) != nil {
		t.Errorf("appending to a file that is open for reading: %v", err)
	}
	if got, _, err := operators(f, log.Start); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := log.Open(readOnly, log.Point{}, noKeep); err == nil {
		t.Error("the last change was not written again, and that is no error")
	}
}

// A change may be longer than what is read at once.
func TestLongChange(t *testing.T) {
	f := fileOf(t, nil)
	l, err := log.Open(f, log.Point{}, noKeep)
	if err != nil {
		t.Fatal(err)
	}
	long := mark("ben")
	long.Payload.Note = strings.Repeat("n", 1<<20)
	if _, err := l.Append(now, []log.Pending{mark("ann"), long, long, long, long, long, mark("zoe")}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(now, []log.Pending{mark("eve")}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := operators(f, log.Start); err != nil || len(got) != 8 {
		t.Errorf("%d events, %v", len(got), err)
	}
	again, err := log.Open(f, log.Point{}, noKeep)
	if err != nil || again.Head() != l.Head() {
		t.Errorf("%v, %v", again, err)
	}
}

// What is longer than a change is no torn one, and is not read into memory.
func TestLongEnd(t *testing.T) {
	f, points := logOf(t, 1, 3)
	if err := f.Truncate(10 << 30); err != nil {
		t.Fatal(err)
	}
	for _, pin := range []log.Point{{}, points[1], points[2]} {
		d := (*log.Damage)(nil)
		if _, err := log.Open(f, pin, noKeep); !errors.As(err, &d) || d.At != points[2] {
			t.Errorf("%v", err)
		}
	}
	if got, head, err := operators(f, log.Start); !errors.Is(err, fault.ErrIntegrity) || head != points[2] || len(got) != 4 {
		t.Errorf("%v, %v, %v", got, head, err)
	}
}

// Whatever a log has, opening it fails or leaves a log that goes on.
func FuzzOpen(f *testing.F) {
	whole, _ := logOf(f, 1, 2)
	f.Add(textOf(f, whole), 100)
	f.Add([]byte("[\n{}\n"), 3)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		if cut > 0 && cut < len(text) {
			text = slices.Concat(text[:cut], text[min(len(text), cut+1):])
		}
		file := fileOf(t, text)
		before, _, errBefore := operators(file, log.Start)
		l, err := log.Open(file, log.Point{}, noKeep)
		if err != nil {
			return
		}
		if _, err := l.Append(now, []log.Pending{mark("next")}); err != nil {
			t.Fatal(err)
		}
		after, head, err := operators(file, log.Start)
		if errBefore == nil && (err != nil || head != l.Head() || !slices.Equal(after, append(before, "next"))) {
			t.Errorf("%v became %v, %v", before, after, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	f := fileOf(b, nil)
	l, err := log.Open(f, log.Point{}, noKeep)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		if _, err := l.Append(now, []log.Pending{mark(fmt.Sprint("o", i)), mark(fmt.Sprint("p", i))}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(l.Head().Offset)
	for b.Loop() {
		if _, err := log.Read(f, l.Head().Offset, log.Start, func([]log.Event) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// noKeep drops what is torn.
func noKeep([]byte) error { return nil }
