package disk

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A View replaces the content of some files of a directory, for readers. It shows what the journal has,
// before the files are updated.
type View interface {
	// Text returns the content of a file. If known is false, the file is shown as it is. A nil text means
	// that the file must not exist.
	Text(name string) (text []byte, known bool, err error)

	// Names returns the files that the view knows, and whether they exist in it.
	Names() (map[string]bool, error)

	// Below returns the view of a directory in this one, or nil.
	Below(name string) View
}

// SetView sets the view of d. Use it only for a directory that you read.
func (d *Dir) SetView(view View) { d.view = view }

// HasView reports whether d has a view.
func (d *Dir) HasView() bool { return d.view != nil }

// View returns the view from [Dir.SetView], or nil.
func (d *Dir) View() View { return d.view }

// fromView returns the content of a file in the view. If the file must not exist, the error is
// fs.ErrNotExist.
func (d *Dir) fromView(name string) (text []byte, known bool, err error) {
	if d.view == nil {
		return nil, false, nil
	}
	text, known, err = d.view.Text(name)
	if err == nil && known && text == nil {
		err = &fs.PathError{Op: "open", Path: filepath.Join(d.path, name), Err: fs.ErrNotExist}
	}
	return text, known, err
}

// Lstat describes the entry name without following a symbolic link.
func (d *Dir) Lstat(name string) (Entry, error) {
	text, known, err := d.fromView(name)
	if err != nil {
		return Entry{}, err
	}
	if known {
		return d.shownEntry(name, text), nil
	}
	return d.entry(name)
}

// shownEntry describes a file in the view: as on disk with another size, or as it would be created.
func (d *Dir) shownEntry(name string, text []byte) Entry {
	entry, err := d.entry(name)
	if err != nil || !entry.Regular {
		entry = Entry{Regular: true, Mode: 0o600, Owner: uint32(max(0, os.Geteuid()))}
	}
	entry.Size = int64(len(text))
	return entry
}

// A Text is an open file, or its content in a view.
type Text struct {
	io.Reader
	io.ReaderAt
	name string
	size int64
	file *os.File // nil for content of a view
}

// OpenText is Open, but opens the content in the view if there is one.
func (d *Dir) OpenText(name string) (*Text, error) {
	text, known, err := d.fromView(name)
	if err != nil {
		return nil, err
	}
	if known {
		r := bytes.NewReader(text)
		return &Text{r, r, filepath.Join(d.path, name), int64(len(text)), nil}, nil
	}
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Text{f, f, f.Name(), info.Size(), f}, nil
}

// Size returns the size in bytes when it was opened.
func (t *Text) Size() int64 { return t.size }

// Name returns the path.
func (t *Text) Name() string { return t.name }

// Close closes the file.
func (t *Text) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
