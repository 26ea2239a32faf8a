package work

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/relation"
)

const (
	mostFiles = 1_000
	mostBytes = 256 << 20 // the maximum size of a file
	mostRead  = 512 << 20
)

// filesResult is the result of comparing the files below the root. Other files do not belong to the project.
type filesResult struct {
	paths   []string // the files below the root
	wrong   []string // those that differ
	changed int
	gone    int
	unread  int // the number of files that exist but cannot be read
}

// compareFiles compares files with their recorded hashes. It limits their number and size, since the sender chose
// them.
func (t Tree) compareFiles(files []relation.Form) (c filesResult) {
	known, read := make(map[string]string), int64(0)
	for _, f := range files {
		path, ok := t.inside(f.Path)
		if !ok || known[path] == f.SHA256 {
			continue
		}
		known[path] = f.SHA256
		if !slices.Contains(c.paths, path) {
			c.paths = append(c.paths, path)
		}
		same, err := false, fs.ErrInvalid
		if len(known) <= mostFiles && read < mostRead {
			same, err = t.is(path, f.SHA256, &read)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.gone++
		case err != nil:
			c.unread++
		case !same:
			c.changed++
		default:
			continue
		}
		c.wrong = append(c.wrong, path)
	}
	return c
}

// inside returns a path relative to the root, or false if it is outside.
func (t Tree) inside(path string) (string, bool) {
	if filepath.IsAbs(filepath.FromSlash(path)) {
		rel, err := filepath.Rel(t.git.Dir, filepath.FromSlash(path))
		if err != nil {
			return "", false
		}
		path = filepath.ToSlash(rel)
	}
	path = strings.TrimPrefix(path, "./")
	return path, relation.IsPath(path)
}

// describe describes the files, and how many of them differ, or returns "" if there are none.
func (c filesResult) describe(touched, since int) string {
	isOne := len(c.paths) == 1
	the, are := "the "+fault.Count(len(c.paths), "file"), " are as they were"
	if isOne {
		the, are = "the file", " is as it was"
	}
	var wrong []string
	for _, one := range []struct {
		n    int
		what string
	}{{c.changed, "changed"}, {c.gone, "gone"}, {c.unread, "not compared"}} {
		switch {
		case one.n == 0:
		case isOne:
			return the + " " + one.what
		default:
			wrong = append(wrong, fmt.Sprint(one.n, " ", one.what))
		}
	}
	switch {
	case len(c.paths) == 0:
		return ""
	case wrong != nil:
		return "of " + the + " " + strings.Join(wrong, ", ")
	case since > 0 && touched == 0:
		return "none touches " + the
	}
	return the + are
}

// is reports whether a file has a SHA-256. It adds the number of bytes that it reads to read.
func (t Tree) is(path, sum string, read *int64) (bool, error) {
	f, size, err := t.open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	*read += size
	is, err := hash(f)
	return is == sum, err
}

// open opens a regular file inside the project. It follows symbolic links.
func (t Tree) open(path string) (*os.File, int64, error) {
	root, err := os.OpenRoot(t.git.Dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(path))
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, errors.New("it is not a regular file")
	case info.Size() > mostBytes:
		return nil, 0, fmt.Errorf("it has more than %d bytes", int64(mostBytes))
	}
	f, err := root.Open(filepath.FromSlash(path))
	return f, info.Size(), err
}

// hash returns the SHA-256 of the content of r, as hex digits.
func hash(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.LimitReader(r, mostBytes+1))
	return hex.EncodeToString(h.Sum(nil)), err
}
