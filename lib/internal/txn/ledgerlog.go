package txn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// resumes reads the resume events of an audit log as it is when it is opened. It looks at the text alone, whether the
// chain holds or not.
type resumes struct {
	io.Closer
	text io.Reader
	err  error
}

// openResumes opens the log. One that is missing has no events.
func openResumes(d *durable.Dir) (*resumes, error) {
	f, err := d.OpenSole(layout.Log)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &resumes{io.NopCloser(nil), bytes.NewReader(nil), nil}, nil
	case errors.Is(err, durable.ErrUnsafe):
		return nil, &fault.CorruptError{File: filepath.Join(d.Path(), layout.Log), Why: err.Error()}
	case err != nil:
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &resumes{f, io.LimitReader(f, info.Size()), nil}, nil
}

// keys goes through the keys of the consumed tokens; each is good until the next.
func (r *resumes) keys() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		lines := bufio.NewScanner(r.text)
		lines.Buffer(make([]byte, 256<<10), layout.MaxLog)
		for lines.Scan() {
			if key, ok := eventlog.ResumeKey(lines.Bytes()); ok && !yield(key) {
				break
			}
		}
		r.err = lines.Err()
	}
}
