//go:build unix

package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// noise returns a text of n bytes in which no two parts are the same.
func noise(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.Bytes()[:n]
}

// A payload that is too large for the journal goes to a spool, and is read from there.
func TestLargePayload(t *testing.T) {
	for _, size := range []int{0, journal.MaxInline - 40, journal.MaxInline - 1, journal.MaxInline, journal.MaxInline + 1, 5 << 20} {
		for _, withSpool := range []bool{false, true} {
			b := newBench(t)
			b.begin(&journal.Checkpoint{})
			var rows []index.Row
			for n := range 300 {
				rows = append(rows, row(n))
			}
			want := []*journal.Record{{Op: "large", LogText: noise(size)}, {Op: "table", Table: noise(size)}, {Op: "body", New: []journal.File{file(journal.Handoffs, "a", string(noise(size)))}},
				{Op: "rows", Added: append([]index.Row(nil), rows[:size%300]...)}}
			j := b.open(true)
			for _, r := range want {
				var spool *journal.Spool
				if withSpool {
					var err error
					if spool, err = journal.NewSpool(b.state); err != nil {
						t.Fatal(err)
					}
				}
				if err := j.Append(r, spool); err != nil {
					t.Fatal(err)
				}
				if spool != nil {
					spool.Close()
				}
			}
			got := b.story().Records
			for i := range want {
				mustEqual(t, fmt.Sprintf("%s of %d", want[i].Op, size), content(got[i]), content(want[i]))
			}
			if n := len(b.spools()); (n == 0) != (size < journal.MaxInline-1000) && size != journal.MaxInline-40 {
				t.Errorf("%d bytes: %d spools", size, n)
			}
		}
	}
}

// Texts that the caller has added to a spool are found there, next to the payload if that is there too.
func TestTextsInSpool(t *testing.T) {
	b := smallBench(t)
	spool, err := journal.NewSpool(b.state)
	if err != nil {
		t.Fatal(err)
	}
	r := &journal.Record{Op: "batch", LogText: noise(100 << 10)}
	texts := [][]byte{noise(10), nil, noise(1 << 20), []byte("last")}
	for i, text := range texts {
		in, err := spool.Add(text)
		if err != nil {
			t.Fatal(err)
		}
		if in.Len() != int64(len(text)) {
			t.Errorf("text %d has a length of %d, want %d", i, in.Len(), len(text))
		}
		r.New = append(r.New, journal.File{Name: journal.Name{Place: journal.Handoffs, File: fmt.Sprint(i)}, Text: in})
	}
	if err := b.open(true).Append(r, spool); err != nil {
		t.Fatal(err)
	}
	spool.Close()
	j := b.open(false)
	got, err := j.Record(4)
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, "the record", content(got), content(r))
	for i, f := range got.New {
		if text, err := j.Text(f.Text); err != nil || !bytes.Equal(text, texts[i]) {
			t.Errorf("text %d has %d bytes, %v", i, len(text), err)
		}
	}
}

// A spool with only empty texts is removed.
func TestEmptyTextInSpool(t *testing.T) {
	b := smallBench(t)
	spool, err := journal.NewSpool(b.state)
	if err != nil {
		t.Fatal(err)
	}
	text, err := spool.Add(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.open(true).Append(&journal.Record{Op: "empty", New: []journal.File{{Text: text}}}, spool); err != nil {
		t.Fatal(err)
	}
	spool.Close()
	if got, err := b.open(false).Text(b.story().Records[3].New[0].Text); err != nil || len(got) > 0 {
		t.Errorf("it is %q, %v", got, err)
	}
}

// A spool that lacks its content is damage and causes an error, never other content.
func TestSpoolIsDamaged(t *testing.T) {
	large := noise(200 << 10)
	for _, tt := range []struct {
		name  string
		spoil func(path string, text []byte) error
	}{
		{"missing", func(path string, _ []byte) error { return os.Remove(path) }},
		{"empty", func(path string, _ []byte) error { return os.Truncate(path, 0) }},
		{"cut", func(path string, text []byte) error { return os.Truncate(path, int64(len(text)-3)) }},
		{"zeros at the end", func(path string, text []byte) error {
			return errors.Join(os.Truncate(path, int64(len(text)-3)), os.Truncate(path, int64(len(text))))
		}},
		{"first bit", func(path string, text []byte) error { text[0] ^= 1; return os.WriteFile(path, text, 0o600) }},
		{"last bit", func(path string, text []byte) error {
			text[len(text)-1] ^= 0x80
			return os.WriteFile(path, text, 0o600)
		}},
		{"in the middle", func(path string, text []byte) error {
			text[len(text)/2] ^= 4
			return os.WriteFile(path, text, 0o600)
		}},
		{"moved by a byte", func(path string, text []byte) error {
			return os.WriteFile(path, slices.Concat([]byte("x"), text), 0o600)
		}},
		{"a link", func(path string, text []byte) error {
			return errors.Join(os.Rename(path, path+"-old"), os.Symlink(path+"-old", path))
		}},
		{"a FIFO", func(path string, text []byte) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }},
		{"a directory", func(path string, text []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
	} {
		for _, what := range []string{"payload", "text"} {
			b := smallBench(t)
			spool, err := journal.NewSpool(b.state)
			if err != nil {
				t.Fatal(err)
			}
			r := &journal.Record{Op: what, LogText: large}
			if what == "text" {
				r.LogText = nil
				r.New = []journal.File{{}}
				if r.New[0].Text, err = spool.Add(large); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.open(true).Append(r, spool); err != nil {
				t.Fatal(err)
			}
			spool.Close()
			path := filepath.Join(b.path, b.spools()[0])
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.spoil(path, text); err != nil {
				t.Fatal(err)
			}
			j := b.open(false) // the record itself is good
			if what == "payload" {
				_, err = j.Story()
			} else {
				_, err = j.Text(b.story().Records[3].New[0].Text)
			}
			if !errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), journal.SpoolPrefix) {
				t.Errorf("%s of a %s: %v", tt.name, what, err)
			}
		}
	}
}

// Spools that were left an hour ago are removed. Newer ones stay, and so do all other files.
func TestDeadSpools(t *testing.T) {
	b := smallBench(t)
	make := func(sync bool) *journal.Spool {
		s, err := journal.NewSpool(b.state)
		if err == nil {
			_, err = s.Add([]byte("text"))
		}
		if err == nil && sync {
			err = s.Sync()
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	make(false).Close() // no record can refer to it
	make(true).Discard()
	if left := b.spools(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	make(true).Close()
	dead := b.spools()
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(b.path, dead[0]), old, old); err != nil {
		t.Fatal(err)
	}
	live := make(true)
	defer live.Close()
	all := b.spools()
	for _, name := range []string{"journal-1", "journal-0123456789abcdeF", "journal-0123456789abcdef0", "journal-0123456789abcdef.md", "journal.new", "x-journal-0123456789abcdef"} {
		if err := os.WriteFile(filepath.Join(b.path, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if journal.IsSpool(name) {
			t.Errorf("%s is a spool", name)
		}
	}
	before := len(b.all())
	removed, err := b.state.RemoveOld(journal.IsSpool)
	if err != nil || len(dead) != 1 || len(all) != 2 || !slices.Equal(removed, dead) {
		t.Errorf("removed %v of %v, %v", removed, all, err)
	}
	if left := b.spools(); len(left) != 1 || slices.Contains(left, dead[0]) || len(b.all()) != before-1 {
		t.Errorf("%v are left", left)
	}
}

func (b *bench) all() []os.DirEntry {
	b.Helper()
	all, err := os.ReadDir(b.path)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func (b *bench) spools() []string {
	b.Helper()
	names, err := b.state.Names(journal.IsSpool)
	if err != nil {
		b.Fatal(err)
	}
	return names
}
