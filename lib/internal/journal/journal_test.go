//go:build unix

package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// aKey is the key of a store. It changes with the format of the journal: the fuzzer keeps its inputs, and the
// same key would prove journals of an older format.
var aKey = journal.NewKey([]byte("the secret of a user"), "a store, form 3")

// A bench is a state directory with a journal in it.
type bench struct {
	testing.TB
	path  string
	state *disk.Dir
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return benchIn(t, t.TempDir())
}

func benchIn(t testing.TB, path string) *bench {
	t.Helper()
	state, err := disk.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { state.Close() })
	return &bench{t, path, state}
}

func (b *bench) file() string { return filepath.Join(b.path, journal.FileName) }

// begin makes a journal with a checkpoint.
func (b *bench) begin(c *journal.Checkpoint) {
	b.Helper()
	d, err := journal.Begin(b.state, aKey)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	if err := d.Finish(c); err != nil {
		b.Fatal(err)
	}
}

// open opens the journal until the test ends.
func (b *bench) open(write bool) *journal.Journal {
	b.Helper()
	j, err := journal.Open(b.state, aKey, write)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(j.Close)
	return j
}

func (b *bench) append(records ...*journal.Record) *journal.Journal {
	b.Helper()
	j := b.open(true)
	for _, r := range records {
		if err := j.Append(r, nil); err != nil {
			b.Fatal(err)
		}
	}
	return j
}

func (b *bench) story() *journal.Story {
	b.Helper()
	s, err := b.open(false).Story()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func (b *bench) bytes() []byte {
	b.Helper()
	text, err := os.ReadFile(b.file())
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// write replaces the bytes of the journal. It does not truncate the file first, which makes file systems
// flush.
func (b *bench) write(text []byte) {
	b.Helper()
	f, err := os.OpenFile(b.file(), os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err = f.WriteAt(text, 0); err == nil {
		err = f.Truncate(int64(len(text)))
	}
	if err != nil {
		b.Fatal(err)
	}
}

// row returns the n-th of many rows.
func row(n int) index.Row {
	return index.Row{ID: fmt.Sprintf("sha256:%064x", n), File: fmt.Sprintf("2026-05-07-ann-ben-t%d.md", n), From: "ann", To: "ben", Topic: fmt.Sprintf("t%d", n),
		Time: "2026-05-07T12:00:00Z"}
}

func read(n int, operator string) index.Row {
	return row(n).WithMark(index.Mark{Operator: operator, Time: "2026-05-08T09:00:00Z"})
}

// table returns an INDEX.md with rows.
func table(rows ...index.Row) []byte {
	if len(rows) == 0 {
		return index.New()
	}
	return index.Append(index.New(), rows)
}

// small returns a checkpoint with a table of three rows, and three records.
func small() (*journal.Checkpoint, []*journal.Record) {
	c := &journal.Checkpoint{Table: table(row(1), row(2), row(3)), Was: journal.HashOf([]byte("was")), LogTail: []byte("log\n"), LedgerTail: []byte("ledger\n"),
		State: map[string]*journal.Text{"pins": new(journal.NewText([]byte("{}")))}}
	c.Head.Log.Offset, c.Head.Ledger.Offset, c.Number = 4, 7, 40
	c.LogHead, c.LedgerHead = journal.HashOf([]byte("log")), journal.HashOf([]byte("ledger"))
	records := []*journal.Record{
		{Op: "write", New: []journal.File{file(journal.Handoffs, row(4).File, "body")}, Added: []index.Row{row(4)}, LogText: []byte("written\n")},
		{Op: "mark-read", Set: []index.Row{read(1, "ben")}, LogText: []byte("marked\n"), LedgerText: []byte("taken\n")},
		{Op: "prune", Unset: []string{row(2).ID}, Gone: []journal.Gone{{Name: journal.Name{Place: journal.Handoffs, File: row(2).File}, SHA256: journal.HashOf([]byte("x"))}},
			LogText: []byte("pruned\n")},
	}
	text := c.Table
	for i, r := range records {
		text = r.Carry(text)
		r.Index, r.LogHead = journal.HashOf(text), journal.HashOf(r.LogText)
		r.Boot = journal.Boot{byte(i + 1)}
	}
	return c, records
}

func file(place journal.Place, name, text string) journal.File {
	return journal.File{Name: journal.Name{Place: place, File: name}, Text: journal.NewText([]byte(text))}
}

// smallBench returns a bench with the journal of small.
func smallBench(t testing.TB) *bench {
	t.Helper()
	b := newBench(t)
	c, records := small()
	b.begin(c)
	b.append(records...).Close()
	return b
}

// content returns the content of a record without its head.
func content(r *journal.Record) journal.Record {
	same := *r
	same.Head = journal.Head{}
	for _, list := range []*[]byte{&same.LogText, &same.LedgerText} {
		*list = bytes.Clone(*list)
		if len(*list) == 0 {
			*list = nil
		}
	}
	same.New, same.Put = files(r.New), files(r.Put)
	return same
}

func files(list []journal.File) (same []journal.File) {
	for _, f := range list {
		if len(f.Bytes) == 0 {
			f.Bytes = nil
		}
		same = append(same, f)
	}
	return same
}

// head returns the exported fields of a head.
func head(h *journal.Head) journal.Head {
	return journal.Head{Number: h.Number, Boot: h.Boot, Log: h.Log, Ledger: h.Ledger, LogSum: h.LogSum, LedgerSum: h.LedgerSum, Index: h.Index, LogHead: h.LogHead,
		LedgerHead: h.LedgerHead, Commit: h.Commit, State: h.State}
}

func bytesOf(most int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), 0, most) }

func genHash(t *rapid.T) (h journal.Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), len(h), len(h)).Draw(t, "hash"))
	return h
}

func genName(t *rapid.T) journal.Name {
	return journal.Name{Place: rapid.SampledFrom([]journal.Place{journal.Handoffs, journal.Signatures, journal.State}).Draw(t, "place"), File: rapid.String().Draw(t, "name")}
}

func genFile(t *rapid.T) journal.File {
	f := journal.File{Name: genName(t)}
	if f.Spool = rapid.SampledFrom([]string{"", "", journal.Elsewhere, journal.SpoolPrefix + "0123456789abcdef"}).Draw(t, "spool"); f.Spool == "" {
		f.Text = journal.NewText(bytesOf(300).Draw(t, "text"))
		return f
	}
	f.SHA256 = genHash(t)
	f.Span = journal.Span{Offset: rapid.Int64Range(0, journal.MaxFile).Draw(t, "offset"), Length: rapid.Int64Range(0, journal.MaxFile).Draw(t, "length")}
	return f
}

func genRow(t *rapid.T) index.Row {
	r := row(rapid.IntRange(0, 40).Draw(t, "row"))
	for _, operator := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"ben", "cy", "dee"}), 0, 3, rapid.ID).Draw(t, "readers") {
		r = r.WithMark(index.Mark{Operator: operator, Time: "2026-05-08T09:00:00.5Z"})
	}
	return r
}

func list[T any](t *rapid.T, label string, gen func(*rapid.T) T) []T {
	made := rapid.SliceOfN(rapid.Custom(gen), 0, 5).Draw(t, label)
	if len(made) == 0 {
		return nil
	}
	return made
}

func genRecord(t *rapid.T) *journal.Record {
	r := &journal.Record{Op: rapid.String().Draw(t, "op"), New: list(t, "new", genFile), Put: list(t, "put", genFile), Set: list(t, "set", genRow), Added: list(t, "added", genRow)}
	r.Gone = list(t, "gone", func(t *rapid.T) journal.Gone { return journal.Gone{Name: genName(t), SHA256: genHash(t)} })
	r.Unset = list(t, "unset", func(t *rapid.T) string { return genRow(t).ID })
	r.Links = list(t, "links", func(t *rapid.T) string { return fmt.Sprintf("INDEX-%04d.md", rapid.IntRange(1, 9).Draw(t, "link")) })
	if rapid.Bool().Draw(t, "whole") {
		r.Table = append([]byte{}, bytesOf(300).Draw(t, "table")...)
	}
	r.LogText, r.LedgerText = bytesOf(300).Draw(t, "log"), bytesOf(300).Draw(t, "ledger")
	r.Boot, r.Index, r.LogHead = genBoot(t), genHash(t), genHash(t)
	r.LedgerHead, r.Commit, r.Head.State = genHash(t), genHash(t), genHash(t)
	return r
}

func genCheckpoint(t *rapid.T) *journal.Checkpoint {
	c := &journal.Checkpoint{Table: bytesOf(5000).Draw(t, "table"), Was: genHash(t), LogTail: bytesOf(journal.Page).Draw(t, "log"), LedgerTail: bytesOf(journal.Page).Draw(t, "ledger")}
	c.State = make(map[string]*journal.Text)
	for range rapid.IntRange(0, 4).Draw(t, "files") {
		f := genFile(t)
		c.State[f.File] = &f.Text
	}
	c.Number = rapid.Uint64Range(0, 1<<62).Draw(t, "number")
	c.Head.Log.Offset, c.Head.Ledger.Offset = rapid.Int64Range(0, 1<<30).Draw(t, "log size"), rapid.Int64Range(0, 1<<30).Draw(t, "ledger size")
	c.Boot, c.LogHead, c.LedgerHead, c.Commit, c.Head.State = genBoot(t), genHash(t), genHash(t), genHash(t), genHash(t)
	return c
}

func mustEqual(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s is\n%+v\nwant\n%+v", what, got, want)
	}
}

// sameCheckpoint compares two checkpoints without their heads.
func sameCheckpoint(t *rapid.T, got, want *journal.Checkpoint) {
	t.Helper()
	for _, part := range []struct {
		name      string
		got, want []byte
	}{{"table", got.Table, want.Table}, {"log", got.LogTail, want.LogTail}, {"ledger", got.LedgerTail, want.LedgerTail}} {
		if !bytes.Equal(part.got, part.want) {
			t.Fatalf("the %s is %q, want %q", part.name, part.got, part.want)
		}
	}
	mustEqual(t, "Was", got.Was, want.Was)
	if len(got.State) != len(want.State) {
		t.Fatalf("%d files, want %d", len(got.State), len(want.State))
	}
	for name, text := range want.State {
		there, ok := got.State[name]
		if !ok || !bytes.Equal(there.Bytes, text.Bytes) || there.SHA256 != text.SHA256 || there.Spool != text.Spool || there.Span != text.Span {
			t.Fatalf("%q is %+v, want %+v", name, there, text)
		}
	}
}

func TestPayloadComesBack(t *testing.T) {
	t.Run("record", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r, got := genRecord(t), &journal.Record{}
			if err := got.ReadPayload(r.Payload()); err != nil {
				t.Fatal(err)
			}
			mustEqual(t, "what comes back", content(got), content(r))
		})
	})
	t.Run("checkpoint", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c, got := genCheckpoint(t), &journal.Checkpoint{}
			if err := got.ReadPayload(c.Payload()); err != nil {
				t.Fatal(err)
			}
			sameCheckpoint(t, got, c)
		})
	})
}

// Appended records are read by every later opener, and by readers in between.
func TestAppendedIsRead(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(path, 0o700); err != nil {
			rt.Fatal(err)
		}
		state, err := disk.OpenDir(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer state.Close()
		c := genCheckpoint(rt)
		draft, err := journal.Begin(state, aKey)
		if err != nil || draft.Found {
			rt.Fatal(err, draft.Found)
		}
		defer draft.Close()
		if err := draft.Finish(c); err != nil {
			rt.Fatal(err)
		}
		j, err := journal.Open(state, aKey, true)
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { j.Close() }()
		var heads []journal.Head
		var records []*journal.Record
		log, ledger := []byte{}, []byte{}
		for range rapid.IntRange(0, 6).Draw(rt, "records") {
			r := genRecord(rt)
			if err := j.Append(r, nil); err != nil {
				rt.Fatal(err)
			}
			records, heads = append(records, r), append(heads, head(&r.Head))
			log, ledger = append(log, r.LogText...), append(ledger, r.LedgerText...)
			if rapid.Bool().Draw(rt, "reopen") {
				j.Close()
				if j, err = journal.Open(state, aKey, true); err != nil {
					rt.Fatal(err)
				}
			}
		}
		seen, err := journal.Open(state, aKey, false)
		if err != nil {
			rt.Fatal(err)
		}
		defer seen.Close()
		if seen.Records() != len(records) {
			rt.Fatalf("%d records, want %d", seen.Records(), len(records))
		}
		read, err := seen.Checkpoint()
		if err != nil {
			rt.Fatal(err)
		}
		sameCheckpoint(rt, read, c)
		mustEqual(rt, "the head of the checkpoint", head(&read.Head), head(&c.Head))
		if read.Index != journal.HashOf(c.Table) {
			rt.Fatal("the checkpoint has not the hash of its table")
		}
		for i, want := range records {
			r, err := seen.Record(i + 1)
			if err != nil {
				rt.Fatal(err)
			}
			mustEqual(rt, "a record", content(r), content(want))
			mustEqual(rt, "its head", head(&r.Head), heads[i])
			if r.Number != c.Number+uint64(i)+1 {
				rt.Fatalf("record %d has the number %d", i, r.Number)
			}
		}
		last := seen.Last()
		if last.Log.End() != c.Head.Log.Offset+int64(len(log)) || last.Ledger.End() != c.Head.Ledger.Offset+int64(len(ledger)) ||
			last.LogSum != crc32.ChecksumIEEE(log) || last.LedgerSum != crc32.ChecksumIEEE(ledger) {
			rt.Fatalf("the last head is %+v", head(last))
		}
		story, err := seen.Story()
		if err != nil {
			rt.Fatal(err)
		}
		text := c.Table
		for _, r := range records {
			text = r.Carry(text)
		}
		if !bytes.Equal(story.Text(), text) {
			rt.Fatalf("INDEX.md is %q, want %q", story.Text(), text)
		}
		logTail, ledgerTail := story.Tails()
		if logTail.Offset != c.Head.Log.Offset-int64(len(c.LogTail)) || !bytes.Equal(bytes.Join(logTail.Parts, nil), append(bytes.Clone(c.LogTail), log...)) ||
			!bytes.Equal(bytes.Join(ledgerTail.Parts, nil), append(bytes.Clone(c.LedgerTail), ledger...)) {
			rt.Fatal("the tails are not what was appended")
		}
	})
}

// The writer of a record has it already: a checkpoint after a large one does not read it again.
func TestAppendedIsNotReadAgain(t *testing.T) {
	b := smallBench(t)
	r := &journal.Record{Op: "next", Added: []index.Row{row(8)}}
	j := b.append(r)
	if got, err := j.Record(j.Records()); err != nil || got != r {
		t.Errorf("it has %p, %v, and not %p", got, err, r)
	}
	if got, err := j.Record(1); err != nil || got == r {
		t.Errorf("the first one is %p, %v", got, err)
	}
	if got, err := b.open(false).Record(j.Records()); err != nil || got.Op != "next" {
		t.Errorf("another process has %+v, %v", got, err)
	}
}

// Records never share a page, and the file does not grow.
func TestPages(t *testing.T) {
	b := smallBench(t)
	size := len(b.bytes())
	j := b.append(&journal.Record{Op: "large", LogText: make([]byte, 3*journal.Page)})
	starts := map[int64]bool{}
	end := int64(0)
	for n := 0; n <= j.Records(); n++ {
		h := j.First()
		if n > 0 {
			r, err := j.Record(n)
			if err != nil {
				t.Fatal(err)
			}
			h = &r.Head
		}
		start, stop := h.Place()
		if start%journal.Page != 0 || start < end || starts[start] {
			t.Errorf("record %d begins at %d, behind %d", n, start, end)
		}
		starts[start], end = true, stop
	}
	if len(b.bytes()) != size {
		t.Errorf("the file has %d bytes, and had %d", len(b.bytes()), size)
	}
}

// A journal is full when it lacks space for the largest record, and then refuses all records.
func TestFull(t *testing.T) {
	for name, r := range map[string]journal.Record{"many": {Op: "small"}, "large": {Op: "large", LogText: make([]byte, journal.MaxInline-500)}} {
		b := newBench(t)
		b.begin(&journal.Checkpoint{})
		j, n := b.open(true), 0
		for ; !j.IsFull(); n++ {
			one := r
			if err := j.Append(&one, nil); err != nil {
				t.Fatalf("%s: record %d: %v", name, n, err)
			}
		}
		if want := map[string]int{"many": 240, "large": 15}[name]; n != want { // there is always room for a large one
			t.Errorf("%s: %d records fit, want %d", name, n, want)
		}
		before := b.bytes()
		if err := j.Append(&journal.Record{}, nil); err == nil {
			t.Errorf("%s: a full journal took one more", name)
		}
		if again := b.open(false); again.Records() != n || !again.IsFull() || !bytes.Equal(before, b.bytes()) {
			t.Errorf("%s: %d records are read, want %d", name, again.Records(), n)
		}
	}
}

// A new journal that was not published is found by the next one, and does not disturb it.
func TestDraftThatDidNotEnd(t *testing.T) {
	b := newBench(t)
	if _, err := journal.Open(b.state, aKey, true); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("there is none: %v", err)
	}
	d, err := journal.Begin(b.state, aKey)
	if err != nil || d.Found {
		t.Fatal(err, d.Found)
	}
	d.Close()
	if err := os.WriteFile(filepath.Join(b.path, journal.NewFileName), bytes.Repeat([]byte("x"), 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = journal.Begin(b.state, aKey); err != nil || !d.Found {
		t.Fatal(err, d.Found)
	}
	defer d.Close()
	if err := d.Finish(&journal.Checkpoint{Table: table(row(1))}); err != nil {
		t.Fatal(err)
	}
	if j := b.open(true); j.Records() != 0 || !bytes.Equal(b.story().Text(), table(row(1))) || bytes.ContainsRune(b.bytes(), 'x') && bytes.Contains(b.bytes(), []byte("xxxx")) {
		t.Error("what was there before is in the new journal")
	}
	if _, err := os.Lstat(filepath.Join(b.path, journal.NewFileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
	for name, plant := range map[string]func(path string) error{
		"a link":      func(path string) error { return os.Symlink(b.file(), path) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(b.path, journal.NewFileName)
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		before := b.bytes()
		if _, err := journal.Begin(b.state, aKey); !errors.Is(err, disk.ErrUnsafe) || !bytes.Equal(before, b.bytes()) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func genBoot(t *rapid.T) (b journal.Boot) {
	h := genHash(t)
	copy(b[:], h[:])
	return b
}
