//go:build unix

package journal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// FuzzDecode decodes any payload. Decoding never panics, and takes memory in proportion to the input. An
// accepted payload encodes to the same bytes.
func FuzzDecode(f *testing.F) {
	c, records := small()
	f.Add(c.Payload())
	for _, r := range records {
		f.Add(r.Payload())
	}
	f.Add((&journal.Record{Table: []byte{}, Links: []string{"INDEX-0001.md"}, Put: []journal.File{{Text: journal.Text{Spool: "journal-0", Span: journal.Span{Offset: 1, Length: 1 << 39}}}}}).Payload())
	f.Add([]byte("n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("n\x23h\xff\xff\xff\xff\x0f"))
	f.Add(bytes.Repeat([]byte("u\x00"), 1000))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, c := &journal.Record{}, &journal.Checkpoint{}
		rerr, cerr := r.ReadPayload(payload), c.ReadPayload(payload)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(payload))*200+1<<20 {
			t.Fatalf("%d bytes took %d bytes of memory", len(payload), used)
		}
		if rerr == nil {
			again := &journal.Record{}
			if err := again.ReadPayload(r.Payload()); err != nil {
				t.Fatal(err)
			}
			if a, b := r.Payload(), again.Payload(); !bytes.Equal(a, b) {
				t.Fatalf("%q\ncomes back as\n%q", a, b)
			}
			r.Carry(table(row(1), row(2)))
		}
		if cerr == nil {
			again := &journal.Checkpoint{}
			if err := again.ReadPayload(c.Payload()); err != nil || !bytes.Equal(again.Table, c.Table) || len(again.State) != len(c.State) || again.Was != c.Was {
				t.Fatalf("%+v comes back as %+v, %v", c, again, err)
			}
		}
	})
}

// FuzzOpen opens any file as a journal, and any payloads with heads that verify.
func FuzzOpen(f *testing.F) {
	b := smallBench(f)
	text := b.bytes()
	f.Add(text[:4*journal.Page], uint16(0))
	f.Add(text[:2*journal.Page], uint16(20))
	f.Add(text[journal.Page:2*journal.Page], uint16(0))
	huge := bytes.Clone(text[:3*journal.Page])
	binary.BigEndian.PutUint64(huge[16:], 1<<62)
	f.Add(huge, uint16(1))
	f.Add([]byte("handoffC"), uint16(4000))
	f.Add([]byte{}, uint16(0))
	scratch := newBench(f)
	scratch.begin(&journal.Checkpoint{})
	whole, err := readAll(b, aKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, zeros uint16) {
		scratch.TB = t
		scratch.write(append(text, make([]byte, zeros)...))
		lines, err := readAll(scratch, aKey)
		switch {
		case err == nil && strings.Join(lines, "\n") != strings.Join(whole[:min(len(whole), len(lines))], "\n"):
			t.Fatalf("a forged journal says\n%s", strings.Join(lines, "\n"))
		case err != nil && !errors.Is(err, fault.ErrIntegrity):
			t.Fatal(err)
		}
		if j, err := journal.Open(scratch.state, aKey, true); err == nil {
			full := j.IsFull()
			if !full {
				if err := j.Append(&journal.Record{Op: "next"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			j.Close()
			again, err := readAll(scratch, aKey)
			if lines != nil && !full && (err != nil || len(again) != len(lines)+1) {
				t.Fatalf("after one record more it says %v, %v", again, err)
			}
		}
	})
}

// FuzzMerge merges any text. Merging never panics and satisfies [checkMerge].
func FuzzMerge(f *testing.F) {
	f.Add(aText)
	f.Add(aText + "note")
	f.Add(strings.ReplaceAll(aText, "\n", "\r\n"))
	f.Add(string(index.AddArchives(index.New(), []string{"INDEX-0001.md", "INDEX-2026-05.md"})))
	f.Add("- [INDEX-0001.md](INDEX-0001.md)\n|---|---|---|---|---|---|---|\n")
	f.Add(lines(row(1), "", row(2), "x", row(9), read(3, "eve"), row(3)))
	f.Add(lines(strings.Replace(row(4).String(), "|  |", "| ben, cy |", 1), strings.Replace(row(1).String(), "|  |", "| ben |", 1)))
	f.Add(lines(strings.Replace(row(4).String(), "|  |", "| ben, |", 1)))
	f.Add("\x00")
	f.Add(lines(row(3), strings.Replace(row(3).String(), "ann-ben", "ann-beg", 1)))
	f.Add(lines(strings.Replace(row(3).String(), "ann-ben", "ann-beg", 1), row(3)))
	f.Fuzz(func(t *testing.T, text string) {
		s := aStory()
		s.Knows([]byte(text))
		s.IsDamaged([]byte(text))
		checkMerge(t, s, []byte(text), all)
		checkMerge(t, newStory(linked(1, table(row(1)))), []byte(text), there(2, 3, 9))
		checkMerge(t, newStory(nil), []byte(text), there())
	})
}
