package universal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A File is what belongs beside a document: a name without any directory, and its content.
type File struct {
	Name  string
	Bytes []byte
}

// FileName returns {source}-to-{target}-{YYYYMMDDTHHMMSSZ}.json. Whatever the document says, the name
// holds only ASCII letters, digits, dashes, underscores and that one dot, so that it cannot leave a
// directory. It is at most 160 bytes long.
func (d *Document) FileName() string {
	stamp := "undated"
	if t, ok := d.Timestamp(); ok {
		stamp = t.UTC().Format("20060102T150405Z")
	}
	return slug(d.Source()) + "-to-" + slug(d.Target()) + "-" + stamp + ".json"
}

// slug makes a part of a file name from any text. Dots and slashes become dashes too: no name can
// climb, or hide its file.
func slug(text string) string { return cmp.Or(strings.Trim(form.Slug(text, 64), "-"), "unnamed") }

// SessionDir returns {session_path}/handoffs relative to root. It fails with fault.ErrInvalid when
// root, with symbolic links resolved, does not contain session_path: the path comes from the document
// and may name any place.
func (d *Document) SessionDir(root string) (string, error) {
	session := d.text("/handoff/source/session_path")
	outside := &fault.Error{
		Class:   fault.ErrInvalid,
		Problem: fmt.Sprintf("session_path %s does not lie in %q", quoted(session), root),
		Advice:  "name a root that contains it, or write beside the document",
	}
	if !filepath.IsAbs(session) {
		return "", outside
	}
	for _, resolve := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		base, err := resolve(root)
		if err != nil {
			return "", fmt.Errorf("session root: %w", err)
		}
		place, err := resolve(session)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(base, place); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(rel, "handoffs"), nil
		}
	}
	return "", outside
}

// WriteFiles creates the files in dir, a path relative to root that is made if need be; "." is root
// itself. Nothing outside root is ever touched, also not through symbolic links, and no file is
// replaced: one that is there already is taken for written if it has the same content, else it is an
// error that wraps fs.ErrExist. When one file fails, those created before it are removed. The files
// are synced to disk.
func WriteFiles(root, dir string, files ...File) error {
	base, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer func() { _ = base.Close() }()
	if err := base.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory to write to: %w", notDir(err))
	}
	place, err := base.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer func() { _ = place.Close() }()
	var made []string
	for _, f := range files {
		created, err := create(place, f)
		if created {
			made = append(made, f.Name)
		}
		if err != nil {
			for _, name := range made {
				_ = place.Remove(name)
			}
			return err
		}
	}
	return nil
}

// notDir keeps what stands in the place of a directory apart from a file that is there already.
func notDir(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &fault.Error{Class: fault.ErrConfig, Problem: err.Error()}
	}
	return err
}

// create writes one file that must not exist and reports whether it made it.
func create(place *os.Root, f File) (created bool, err error) {
	if f.Name != filepath.Base(f.Name) || !filepath.IsLocal(f.Name) || f.Name == "." || strings.ContainsAny(f.Name, `/\:`) {
		return false, &fault.Error{Class: fault.ErrInvalid, Problem: fmt.Sprintf("%s is not a file name", quoted(f.Name))}
	}
	file, err := place.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) && holds(place, f) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", f.Name, err)
	}
	_, err = file.Write(f.Bytes)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.Name, err)
	}
	return true, err
}

// holds reports whether a regular file of that name has that content already.
func holds(place *os.Root, f File) bool {
	info, err := place.Lstat(f.Name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(f.Bytes)) {
		return false
	}
	file, err := place.Open(f.Name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, info.Size()+1))
	return err == nil && bytes.Equal(content, f.Bytes)
}
