package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MakeBare makes a directory a bare repository with the object format sha1 or sha256, and more settings. If it has
// others, it is emptied: they could name programs to run.
func MakeBare(dir, format, more string) error {
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n" + more
	if format == "sha256" { // older versions of git do not know the name
		config += "[extensions]\n\tobjectFormat = sha256\n"
	}
	name := filepath.Join(dir, "config")
	if text, err := os.ReadFile(name); err == nil && string(text) == config {
		return nil
	}
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "objects"), 0o700),
		os.Mkdir(filepath.Join(dir, "refs"), 0o700), os.WriteFile(name, []byte(config), 0o600),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600))
}

// Objects reads the objects of a repository, one after the other.
type Objects struct {
	ask    io.WriteCloser
	answer *bufio.Reader

	Close func() // ends git
}

// An Object is what the name of an object or ref stands for.
type Object struct {
	ID, Kind string // of a missing one ""
	Data     []byte // nil if it is too large
}

// Objects starts a git that reads objects. The caller must close it.
func (c Call) Objects(ctx context.Context) (*Objects, error) {
	c.Args = []string{"cat-file", "--batch"}
	_, cmd, cancel := c.command(ctx)
	ask, err := cmd.StdinPipe()
	answer, outErr := cmd.StdoutPipe()
	if err = errors.Join(err, outErr); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	limit(cmd.Process.Pid)
	end := func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}
	return &Objects{ask, bufio.NewReaderSize(answer, 64<<10), end}, nil
}

// Get returns an object. Of one with more than most bytes it returns no data. It fails if the repository is damaged.
func (o *Objects) Get(name string, most int64) (Object, error) {
	_, err := fmt.Fprintln(o.ask, name)
	head, readErr := o.answer.ReadString('\n')
	if err = errors.Join(err, readErr); err != nil {
		return Object{}, err
	}
	var size int64
	var found Object
	if n, _ := fmt.Sscan(head, &found.ID, &found.Kind, &size); n != 3 {
		return Object{}, nil // "missing" is its second word
	}
	if size <= most {
		found.Data = make([]byte, size)
		_, err = io.ReadFull(o.answer, found.Data)
		size = 0
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, o.answer, size+1) // and a line feed
	}
	return found, err
}
