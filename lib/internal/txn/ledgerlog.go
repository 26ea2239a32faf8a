package txn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A logReader reads an audit log as it is when it is opened. It looks at the text alone, whether the
// chain holds or not.
type logReader struct {
	io.Closer
	text io.Reader
	size int64
	err  error
}

// openLogReader opens the log. One that is missing has no events.
func openLogReader(d *durable.Dir) (*logReader, error) {
	f, err := d.OpenSole(layout.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return &logReader{Closer: io.NopCloser(nil), text: bytes.NewReader(nil)}, nil
	}
	if err != nil {
		return nil, store.Odd(filepath.Join(d.Path(), layout.Log), err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &logReader{Closer: f, text: io.LimitReader(f, info.Size()), size: info.Size()}, nil
}

// lines yields the lines of the log. A line that no event can have ends them, as an error: the rest cannot
// be told apart from damage.
func (r *logReader) lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		lines := bufio.NewScanner(r.text)
		lines.Buffer(make([]byte, 256<<10), layout.MaxEvent)
		for lines.Scan() && yield(lines.Bytes()) {
		}
		if r.err = lines.Err(); errors.Is(r.err, bufio.ErrTooLong) {
			r.err = &fault.CorruptError{File: layout.Log, Why: fmt.Sprintf("has a line of more than %d bytes, which is no event", layout.MaxEvent)}
		}
	}
}
