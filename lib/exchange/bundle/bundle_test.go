package bundle_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/exchange/bundle"
	"github.com/seed-78daf238/handoff/lib/fault"
)

const head = `{"handoff-batch":1,"audit":"12:00ff"}` + "\n"

func batchOf(events int) []byte {
	text := head
	for n := range events {
		text += fmt.Sprintf(`{"event_type":"handoff.archive","payload":{"n":%d,"text":"é\n"}}`+"\n", n)
	}
	return []byte(text)
}

// sealed returns lines with an end that proves them, whatever they are.
func sealed(lines string) string {
	return fmt.Sprintf("%s{\"end\":{\"events\":%d,\"sha256\":\"%x\"}}\n", lines, strings.Count(lines, "\n")-1,
		sha256.Sum256([]byte(lines)))
}

// read returns the batch of a bundle.
func read(r io.Reader) ([]byte, error) {
	lines, err := bundle.Read(r)
	if err != nil {
		return bytes.Join(lines, nil), err
	}
	return []byte(head + string(bytes.Join(lines, nil))), nil
}

func written(t testing.TB, batch []byte, zip bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bundle.Write(&b, batch, zip); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(parts ...string) io.Reader {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, part := range parts {
		_, _ = io.WriteString(z, part)
	}
	_ = z.Close()
	return &b
}

func TestFormat(t *testing.T) {
	for events := range 4 {
		batch := batchOf(events)
		text := written(t, batch, false)
		if string(text) != sealed(string(batch)) {
			t.Errorf("%s", text)
		}
		for _, zip := range []bool{false, true} {
			got, err := read(bytes.NewReader(written(t, batch, zip)))
			if err != nil || !bytes.Equal(got, batch) {
				t.Errorf("%d events, compressed %t: %q, %v", events, zip, got, err)
			}
		}
		if len(written(t, batchOf(100), true)) > len(written(t, batchOf(100), false))/4 {
			t.Error("it is not compressed")
		}
	}
}

func TestReadIsTheInverseOfWrite(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		batch := batchOf(rapid.IntRange(0, 20).Draw(r, "events"))
		got, err := read(bytes.NewReader(written(t, batch, rapid.Bool().Draw(r, "zip"))))
		if err != nil || !bytes.Equal(got, batch) {
			r.Errorf("%q, %v", got, err)
		}
	})
}

// Every cut and every flipped bit is found. In the header of gzip some bits mean nothing.
func TestEveryCutAndFlippedBitIsFound(t *testing.T) {
	batch := batchOf(3)
	for _, zip := range []bool{false, true} {
		text := written(t, batch, zip)
		check := func(what string, changed []byte) {
			got, err := read(bytes.NewReader(changed))
			isKnown := errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrInvalid)
			if isSame := zip && err == nil && bytes.Equal(got, batch); !isSame && (!isKnown || len(got) > 0) {
				t.Errorf("compressed %t, %s: %q, %v", zip, what, got, err)
			}
			isHead := len(changed) < 20 || !bytes.Equal(changed[:20], text[:20])
			if err != nil && !isHead && !errors.Is(err, fault.ErrIntegrity) {
				t.Errorf("compressed %t, %s: %v, want an integrity fault", zip, what, err)
			}
		}
		for i := range text {
			check(fmt.Sprint("cut at ", i), text[:i])
			for bit := range 8 {
				changed := bytes.Clone(text)
				changed[i] ^= 1 << bit
				check(fmt.Sprint("bit ", bit, " of byte ", i), changed)
			}
			check(fmt.Sprint("without byte ", i), append(bytes.Clone(text[:i]), text[i+1:]...))
		}
		check("with more", append(bytes.Clone(text), "x"...))
		check("twice", append(bytes.Clone(text), text...))
	}
}

func TestMalformed(t *testing.T) {
	good := `{"event_type":"t","payload":{}}` + "\n"
	for _, tt := range []struct{ text, want string }{
		{"", "no bundle"},
		{"# Notes\n\nof a person\n", "no bundle"},
		{sealed(good), "another format"},
		{sealed(strings.Replace(head, "1", "2", 1)), "another format"},
		{sealed(head + strings.Repeat(good, 100_001)), "100000 events"},
	} {
		got, err := read(strings.NewReader(tt.text))
		if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), tt.want) || len(got) > 0 {
			t.Errorf("%.80q: %v, want %s", tt.text, err, tt.want)
		}
	}
	if _, err := read(strings.NewReader(sealed(head + strings.Repeat(good, 100_000)))); err != nil {
		t.Error(err)
	}
	err := bundle.Write(io.Discard, []byte(head+strings.Repeat(good, 100_001)), false)
	if !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("%v", err)
	}
	broken := errors.New("the disk")
	if _, err := read(iotest.ErrReader(broken)); err != broken {
		t.Errorf("%v", err)
	}
	if err := bundle.Write(failing{broken}, batchOf(9), true); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A few bytes that become very many are refused, without more memory than a large bundle takes.
func TestBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	parts := make([]string, 260)
	for i := range parts {
		parts[i] = zeros
	}
	bomb := zipped(append([]string{head}, parts...)...)
	twice := zipped(sealed(string(batchOf(1))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := read(bomb)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fault.ErrInvalid) || after.TotalAlloc-before.TotalAlloc > 2<<30 {
		t.Errorf("%d MiB, %v", (after.TotalAlloc-before.TotalAlloc)>>20, err)
	}
	if _, err := read(zipped(func() string { b, _ := io.ReadAll(twice); return string(b) }())); !errors.Is(err,
		fault.ErrInvalid) {
		t.Errorf("compressed twice: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, batchOf(2), false))
	f.Add(written(f, batchOf(2), true))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		batch, err := read(bytes.NewReader(text)) // with a head of its own
		if err != nil {
			return
		}
		again, err := read(bytes.NewReader(written(t, batch, false)))
		if err != nil || !bytes.Equal(again, batch) {
			t.Errorf("%q became %q, %v", batch, again, err)
		}
	})
}
