package disk

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A View shows other content than some of the files of a directory have, for somebody who only reads: what
// they shall have by the journal of a store, before anybody has made them so.
type View interface {
	// Text returns what a file shall have. known is false for a file that is as it is; a nil text says
	// that it shall not be there.
	Text(name string) (text []byte, known bool, err error)

	// Names says of the files that the view knows whether they shall be there.
	Names() (map[string]bool, error)

	// Below returns the view of a directory in this one, nil for none.
	Below(name string) View
}

// SetView has d show what view says. It is for a directory that nothing is written to.
func (d *Dir) SetView(view View) { d.view = view }

// HasView reports whether d shows what a view says.
func (d *Dir) HasView() bool { return d.view != nil }

// View returns what was set by [Dir.SetView], nil if nothing was.
func (d *Dir) View() View { return d.view }

// shown returns what the view says of a file: an error that is fs.ErrNotExist where it shall not be there.
func (d *Dir) shown(name string) (text []byte, known bool, err error) {
	if d.view == nil {
		return nil, false, nil
	}
	text, known, err = d.view.Text(name)
	if err == nil && known && text == nil {
		err = &fs.PathError{Op: "open", Path: filepath.Join(d.path, name), Err: fs.ErrNotExist}
	}
	return text, known, err
}

// Lstat describes the entry name without following it.
func (d *Dir) Lstat(name string) (Entry, error) {
	text, known, err := d.shown(name)
	if err != nil {
		return Entry{}, err
	}
	if known {
		return d.shownEntry(name, text), nil
	}
	return d.entry(name)
}

// shownEntry describes a file of a view: as it is, but for its size, or as it would be made.
func (d *Dir) shownEntry(name string, text []byte) Entry {
	entry, err := d.entry(name)
	if err != nil || !entry.Regular {
		entry = Entry{Regular: true, Mode: 0o600, Owner: uint32(max(0, os.Geteuid()))}
	}
	entry.Size = int64(len(text))
	return entry
}

// A Text is an open file, or what a view shows in its place.
type Text struct {
	io.Reader
	io.ReaderAt
	name string
	size int64
	file *os.File // nil for what a view shows
}

// OpenText is OpenSole, or opens what the view shows.
func (d *Dir) OpenText(name string) (*Text, error) {
	text, known, err := d.shown(name)
	if err != nil {
		return nil, err
	}
	if known {
		r := bytes.NewReader(text)
		return &Text{r, r, filepath.Join(d.path, name), int64(len(text)), nil}, nil
	}
	f, err := d.OpenSole(name)
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

// Size returns how many bytes it had when it was opened.
func (t *Text) Size() int64 { return t.size }

// Name returns its path.
func (t *Text) Name() string { return t.name }

// Close closes it.
func (t *Text) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
