package replica

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

var (
	errTooMuch = errors.New("it has published more at once than is read")
	errTree    = errors.New("it holds a tree that is cut or not in order")
	errNoText  = errors.New("it holds a file that is too long, or no file")
)

// A wanted object, with how long it may be.
type wanted struct {
	object string
	max    int64
}

// Blobs are objects that were asked for. Their contents lie in a file of the repository, so that few
// of them are in memory.
type blobs struct {
	file   *os.File
	parts  []part                 // of it
	failed *atomic.Pointer[error] // what could not be read of it, by whomever
}

// A part is what git has printed of an object: its head, and its content behind that. It has no head
// if it is none that was wanted.
type part struct {
	head     string
	at, size int64
}

func (p part) isMissing() bool { return p.head == "" }

// read returns the contents of a few blobs; nil for one that is missing, none, or too long.
func (r *repo) read(ctx ctx, want []wanted) ([][]byte, error) {
	texts := make([][]byte, len(want))
	got, err := r.lay(ctx, want)
	for n, p := range got.parts {
		if err == nil && !p.isMissing() {
			texts[n], err = got.text(n)
		}
	}
	return texts, err
}

// lay asks for blobs. One that is missing, no blob, or too long has no text.
func (r *repo) lay(ctx ctx, want []wanted) (blobs, error) {
	return r.layAll(ctx, "blob", maxAtOnce, want)
}

// layAll asks for objects of a kind, of at most so many bytes together.
func (r *repo) layAll(ctx ctx, kind string, most int64, want []wanted) (got blobs, err error) {
	got.parts, got.failed = make([]part, len(want)), &r.failed
	if len(want) == 0 {
		return got, nil
	}
	var ask strings.Builder
	for _, w := range want {
		ask.WriteString(w.object + "\n")
	}
	out, err := r.Run(ctx, git.Call{Args: []string{"cat-file", "--batch-check"}, Stdin: strings.NewReader(ask.String())})
	if err != nil {
		return got, r.broken(err)
	}
	if got.file, err = r.openSpool(); err != nil {
		return got, err
	}
	begin, err := got.file.Seek(0, io.SeekEnd)
	end := begin
	ask.Reset()
	n := 0
	for head := range strings.Lines(string(out)) {
		if size, ok := sizeOf(kind, head); ok && n < len(want) && size <= want[n].max {
			got.parts[n] = part{head, end, size}
			end += int64(len(head)) + size + 1
			ask.WriteString(want[n].object + "\n")
		}
		n++
	}
	if end-begin > most {
		return got, errTooMuch
	}
	if err == nil && ask.Len() > 0 {
		_, err = r.Run(ctx, git.Call{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(ask.String()), Into: got.file, Limit: transferLimit})
		err = r.broken(err)
	}
	return got, err
}

// openSpool opens the file that takes what git prints of objects. It has no name, and is gone with
// this process.
func (r *repo) openSpool() (f *os.File, err error) {
	if r.spool != nil {
		return r.spool, nil
	}
	if f, err = os.CreateTemp(r.Dir, "tmp_"); err == nil {
		r.spool, err = f, os.Remove(f.Name())
	}
	return r.spool, err
}

// first returns the first n of them.
func (b blobs) first(n int) blobs {
	b.parts = b.parts[:n]
	return b
}

// text returns the content of the n-th object that was asked for.
func (b blobs) text(n int) ([]byte, error) {
	p := b.parts[n]
	if p.isMissing() {
		return nil, errNoText
	}
	all := make([]byte, int64(len(p.head))+p.size)
	if _, err := b.file.ReadAt(all, p.at); err != nil {
		b.failed.Store(&err)
		return nil, err
	}
	text := all[len(p.head):]
	if string(all[:len(p.head)]) != p.head {
		return nil, fmt.Errorf("git cat-file printed %.80q", all)
	}
	return text, nil
}

// sizeOf reads what git says of an object, if it is of a kind.
func sizeOf(kind, line string) (int64, bool) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != kind {
		return 0, false
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	return size, err == nil
}
