package handoff

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
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
	f, err := d.OpenSole(logName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &resumes{io.NopCloser(nil), bytes.NewReader(nil), nil}, nil
	case errors.Is(err, durable.ErrUnsafe):
		return nil, &CorruptError{File: filepath.Join(d.Path(), logName), Why: err.Error()}
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
		lines.Buffer(make([]byte, 256<<10), maxLog)
		for lines.Scan() {
			if key, ok := resumeKey(lines.Bytes()); ok && !yield(key) {
				break
			}
		}
		r.err = lines.Err()
	}
}

// resumeKey returns the key of the token that a line of the log records as consumed. No key is written with an escape,
// and a quote inside of another value is.
func resumeKey(line []byte) ([]byte, bool) {
	if !bytes.HasPrefix(line, []byte(`{"event_type":"`+eventResume+`"`)) {
		return nil, false
	}
	_, rest, _ := bytes.Cut(line, []byte(`"token":"`))
	key, _, ok := bytes.Cut(rest, []byte(`"`))
	return key, ok
}
